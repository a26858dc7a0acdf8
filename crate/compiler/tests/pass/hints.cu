// What compilers are told, and attributes.
__device__ __noinline__ float slow(float x) { return x * 3 + 1; }
extern "C" __global__ void __launch_bounds__(32) test(const float* __restrict__ in, float* __restrict__ out, const int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __builtin_assume(items > 0);
  const float4* p = (const float4*)__builtin_assume_aligned(in, 16);
  if (__builtin_expect(i < 0, 0)) __builtin_unreachable();
  float4 v = p[i];
  [[maybe_unused]] float unused = 1;
  if (v.x > 0) [[likely]] { v.y += 1; } else [[unlikely]] { v.z -= 1; }
  switch (items & 1) { case 0: v.w = 1; [[fallthrough]]; default: v.x += 1; }
  out[i] = slow(v.x) + v.y + v.z + v.w;
}
