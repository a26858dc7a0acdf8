// What is added to an unsigned index is added to the address where CUDA's limits of a block leave the sum room: neighbours of
// `threadIdx.y + 1` are read together, those of an index that may wrap around are not.
extern "C" __global__ void test(const float2* in, float* out, unsigned free) {
  const unsigned x = threadIdx.x, lane = threadIdx.x & 31, third = threadIdx.x / 3;
  float2 a = in[x + 1], b = in[4 * lane + 2];
  const float* words = reinterpret_cast<const float*>(in);
  float4 sum = make_float4(a.x + b.y, words[2 * x + 6], words[2 * x + 7], words[third + 5] + (words + third)[5]);
  out[x] = sum.x + sum.y * sum.z;
  out[4096 + x] = sum.w + words[free + x + 1] + (words + free + x)[1];
  if (threadIdx.x < 1024 && threadIdx.x >> 4 < 64) out[8192 + x] = words[min(x, 77u) + 3] + words[(x % 12) * 5 + 1];
}
