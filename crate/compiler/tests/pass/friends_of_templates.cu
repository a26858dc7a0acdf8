// Operators that a template defines as friends, and a value of the template's own type as their argument.
template <typename T> struct Pair {
    T x, y;
    friend __device__ Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
    friend __device__ Pair operator*(T s, const Pair& a) { return {s * a.x, s * a.y}; }
    __device__ friend T dot(const Pair& a, const Pair& b) { return a.x * b.x + a.y * b.y; }
    __device__ Pair operator-() const { return {-x, -y}; }
    friend __device__ bool operator==(const Pair& a, const Pair& b) { return a.x == b.x && a.y == b.y; }
};
template <typename T, unsigned n> struct Array {
    T elements[n];
    __device__ T& operator[](unsigned at) { return elements[at]; }
    __device__ const T& operator[](unsigned at) const { return elements[at]; }
    friend __device__ Array operator+(Array a, const Array& b) { for (unsigned k = 0; k < n; ++k) a[k] += b[k]; return a; }
};
template <typename T, typename... U> Array(T, U...) -> Array<T, 1 + sizeof...(U)>;
extern "C" __global__ void test(const int* in, int* out, int items) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pair<int> a{in[i], 2}, b{1, in[i]};
    Pair<short> small{3, 4};
    auto c = 2 * (a + -b);
    Array v{in[i], 2, 3, 4};
    const Array<Array<int, 2>, 2> m{1, 2, 3, in[i]};
    const Array<Pair<int>, 2> pairs = {in[i], 7, 8, 9};
    auto w = v + v;
    out[i] = dot(c, a) + (a == b) + dot(small, small) + w[0] * 3 + w[3] + m[1][1] + m[0][1] + pairs[1].x + pairs[0].y;
}
