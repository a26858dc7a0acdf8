// launch: --grid 1 --block 64 --arg f32[256]=random:1 --arg f32[256]=zero
// finds: race,uninitialized
#include <cuda_pipeline.h>
__global__ void stage(const float4* in, float* out) {
    __shared__ float4 s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(float4)); //!
    __pipeline_commit();
    __syncthreads();
    const float* f = (const float*)s;
    for (int i = threadIdx.x; i < 256; i += 64) out[i] = f[255 - i]; //!
}
