// launch: --grid 1 --block 32 --arg f32[256]=random:1 --arg f32[32]=zero --arg i32=8
// finds: race,uninitialized
#include <cuda_pipeline.h>
// two stages in flight
__global__ void stream(const float* in, float* out, int n) {
    __shared__ float s[2][32];
    int t = threadIdx.x;
    float acc = 0.f;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int k = 0; k < n; ++k) {
        if (k + 1 < n) {
            __pipeline_memcpy_async(&s[(k + 1) & 1][t], &in[(k + 1) * 32 + t], 4); //!
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        acc += s[k & 1][31 - t]; //!
        __syncthreads();
    }
    out[t] = acc;
}
