// Types that follow from values: `auto*`, what `auto&` returns, references to arrays and to what is handed back, templates
// of constructors beside copies, arguments that a constructor or a conversion makes.
template <typename T> struct Pair {
    T a, b;
    __device__ Pair(T x = 0, T y = 0) : a(x), b(y) {}
    template <typename U> __device__ explicit Pair(const Pair<U>& other) : a(other.a), b(other.b) {}
};
template <typename T> __device__ T total(Pair<T> p) { return p.a + p.b; }
template <class T> __device__ const T& largest(const T& a) { return a; }
template <class T, class... R> __device__ T largest(const T& a, const R&... rest) { const T b = largest(rest...); return a < b ? b : a; }
struct Row { float v[3]; };
struct Table { Row rows[2]; };
__device__ auto& at(Table& t, int row) { return t.rows[row]; }
__device__ const auto* begin_of(const Table& t) { return &t.rows[0].v[0]; }
template <typename T> struct Vector;
template <> struct Vector<float> { using type = float2; };
template <typename T> using VectorOf = typename Vector<T>::type;
struct Metres { float m; };
struct Feet { float f; __device__ Feet(Metres m) : f(m.m * 3.25f) {} __device__ operator Metres() const { return Metres{f / 3.25f}; } };
__device__ float feet(Feet f) { return f.f; }
__device__ float metres(const Metres& m) { return m.m; }
struct Later;
struct Link { struct Later* to; int value; };
struct Later { int value; Link* back; };

extern "C" __global__ void test(const float* in, float* out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    Pair<double> wide(in[t], in[t + 1]);
    const Pair<float> narrow(wide);
    float sum = total<float>(narrow) + float(total(wide));
    Table table{{{{in[t], in[t + 1], in[t + 2]}}, {{in[t + 3], 5, 6}}}};
    const Table& constant = table;
    const float (&second)[3] = constant.rows[1].v;
    at(table, 1).v[2] += second[0];
    auto* p = reinterpret_cast<const VectorOf<float>*>(in + 2 * t);
    const auto* q = begin_of(table);
    auto f = [](const float* x, float** y) { return *x + **y; };
    float z = q[2];
    float* pointer = &z;
    sum += p->x * q[1] + second[2] + f(q, &pointer) + largest(in[t], in[t + 1], 0.5f);
    float2 turned = {in[t], sum};
    turned = {turned.y, turned.x};
    Link link{nullptr, 3};
    Later later{4, &link};
    link.to = &later;
    out[2 * t] = turned.x + feet(Metres{sum}) + metres(Feet(Metres{2})) + float(link.to->back->value * later.value);
    out[2 * t + 1] = turned.y;
    reinterpret_cast<float2*>(out)[4000 + t] = {out[2 * t], sum};
}
