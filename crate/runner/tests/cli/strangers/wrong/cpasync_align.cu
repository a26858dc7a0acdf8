// launch: --grid 1 --block 32 --arg f32[160]=iota --arg f32[128]=zero --arg i32=2
// finds: misaligned
#include <cuda_pipeline.h>
__global__ void stage(const float* in, float* out, int skip) {
    __shared__ __align__(16) float s[128];
    int t = threadIdx.x * 4;
    __pipeline_memcpy_async(&s[t], in + skip + t, 16); //!
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = threadIdx.x; i < 128; i += 32) out[i] = s[127 - i];
}
