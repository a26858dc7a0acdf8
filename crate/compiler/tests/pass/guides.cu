// Structs whose template arguments follow from a constructor's.
template <typename T> struct Pair { T a, b; __device__ Pair(T a, T b) : a(a), b(b) {} __device__ T dot() const { return a * b; } };
template <typename T, int N> struct Vec { T d[N]; };
template <typename F> struct Defer { F f; __device__ Defer(F f) : f(f) {} __device__ float run(float x) { return f(x); } };
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Pair p(in[i], in[i + 1]);
  auto q = Pair{i, 3};
  Defer d([](float x) { return x + 1; });
  out[i] = p.dot() + q.dot() + d.run(in[i]);
}
