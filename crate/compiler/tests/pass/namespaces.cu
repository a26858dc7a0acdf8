// Names that several namespaces have.
namespace first { __device__ float same(float x) { return x + 1; } struct S { float v; __device__ S(float x) : v{x}, w(3) { } int w; __device__ float get() { return same(v) * w; } }; constexpr int N = 3; __device__ int counter = 5; }
namespace second { __device__ float same(float x) { return 2 * x; } struct S { float v; __device__ float get() const { return same(v); } }; constexpr int N = 4; __device__ int counter = 7;
  namespace inner { __device__ float same(float x) { return 5 * x; } __device__ float call(float x) { return same(x) + second::same(x); } } }
namespace other = second::inner;
__device__ float same(float x, float y) { return x - y; }
extern "C" __global__ void test(float* x, float* y) {
  int i = threadIdx.x;
  first::S a(x[i]); second::S b{x[i]};
  float r = first::same(x[i]) + second::same(x[i]) * 3 + second::inner::same(x[i]) + other::same(x[i]) + other::call(x[i]) + same(x[i], 3.0f);
  r += first::N * 100 + second::N * 1000 + a.get() + b.get() + first::counter + second::counter;
  { using namespace first; r += N; }
  { using second::N; r += N * 7; }
  y[i] = r;
}
