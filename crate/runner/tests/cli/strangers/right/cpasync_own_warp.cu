// launch: --grid 1 --block 64 --arg f32[256]=iota --arg f32[256]=zero
#include <cuda_pipeline.h>
__global__ void stage(const float4* in, float* out) {
    __shared__ float4 s[2][32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    __pipeline_memcpy_async(&s[w][l], &in[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    const float* f = &s[w][0].x;
    for (int i = l; i < 128; i += 32) out[w * 128 + i] = f[127 - i];
}
