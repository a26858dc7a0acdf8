// Constructors that a struct takes from its base, defaults that an earlier declaration has, and objects in objects.
struct Base { float v; int n; __device__ Base(float v, int n = 2) : v(v), n(n) {} __device__ Base() : Base(1.0f) {} };
struct Derived : Base { using Base::Base; float extra = 3; __device__ float sum() const { return v + n + extra; } };
struct Further : public Derived { using Derived::Derived; using Derived::sum; __device__ int sum(int k) { return k; } };
struct Inner { int v; __device__ Inner() : v(4) {} };
struct Outer { Inner one; Inner two[2]; int k = 3; };
template <typename T = float, int n = 4, typename Op = struct Sum> struct Reducer;
struct Sum { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } static constexpr int zero = 0; };
template <typename T, int n, typename Op> struct Reducer {
    static __device__ T run(const T* p, Op op = Op()) { T r = Op::zero; for (int k = 0; k < n; ++k) r = op(r, p[k]); return r; }
};
template <typename...> using void_t = void;
template <typename T, typename = void> struct has_size { static constexpr bool value = false; };
template <typename T> struct has_size<T, void_t<decltype(T::size)>> { static constexpr bool value = true; };
struct Sized { static constexpr int size = 3; };
template <typename T> __device__ int count() { if constexpr (has_size<T>::value) return T::size; else return 1; }
extern "C" __global__ void test(const float* in, float* out, int items) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Derived d(in[i], 4);
    Derived e;
    Further f(in[i]);
    Outer o, all[2];
    float v[4] = {in[i], 2, 3, 4};
    out[i] = d.sum() + e.sum() + f.sum() + f.sum(3) + o.one.v + o.two[1].v + o.k + all[1].two[0].v + Reducer<>::run(v) + count<Sized>() + count<Inner>();
}
