// Packs that are handed on, and functions that take functions.
template <typename F, typename... Args> __device__ __forceinline__ auto invoke_all(F f, Args&&... args) { return f(static_cast<Args&&>(args)...); }
struct Mad { __device__ float operator()(float a, float b, float c) const { return a * b + c; } };
template <typename Op, typename... Ops> __device__ float chain(float x, Op op, Ops... ops) { if constexpr (sizeof...(ops) == 0) return op(x); else return chain(op(x), ops...); }
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  auto twice = [](float v) { return v * 2; };
  auto relu = [](float v) { return v > 0 ? v : 0.f; };
  out[i] = invoke_all(Mad(), x, x + 1, 3.f) + chain(x, twice, relu, [=](float v) { return v - x; });
}
