// launch: --grid 2 --block 32 --arg f32[512]=random:1 --arg f32[64]=zero --arg i32=8
#include <cuda_pipeline.h>
__global__ void stream(const float* in, float* out, int n) {
    __shared__ float s[2][32];
    int t = threadIdx.x;
    in += blockIdx.x * n * 32;
    float acc = 0.f;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int k = 0; k < n; ++k) {
        if (k + 1 < n) __pipeline_memcpy_async(&s[(k + 1) & 1][t], &in[(k + 1) * 32 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        acc += s[k & 1][31 - t];
        __syncthreads();
    }
    out[blockIdx.x * 32 + t] = acc;
}
