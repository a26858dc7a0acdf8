// Copies into shared memory, one stage ahead.
//# arch compute_80
//# block 128
//# items 512
#include <cuda_pipeline.h>
extern "C" __global__ void test(const float *in, float *out, int items) {
  __shared__ __align__(16) float buf[2][512];
  int base = blockIdx.x * 512;
  int stage = 0;
  __pipeline_memcpy_async(&buf[0][threadIdx.x * 4], in + base + threadIdx.x * 4, sizeof(float4));
  __pipeline_commit();
  for (int i = 0; i < 3; i++) {
    if (i < 2) {
      __pipeline_memcpy_async(&buf[stage ^ 1][threadIdx.x * 4], in + base + (i + 1) * 64 + threadIdx.x * 4, sizeof(float4));
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 4; k++) s += buf[stage][(threadIdx.x * 4 + k * 4 + 1) % 512];
    out[i * 4096 + base / 4 + threadIdx.x] = s;
    __syncthreads();
    stage ^= 1;
  }
}
