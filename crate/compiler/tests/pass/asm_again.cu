// What `asm` computes twice is computed twice, and what is the same in all iterations is computed before the loop.
#include <cuda_fp16.h>

__device__ float squared(__half v) { return __half2float(v) * __half2float(v); }

extern "C" __global__ void test(const __half* in, float* out, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 16 >= items)
        return;
    const __half v = in[i];
    float sum = squared(v);
#pragma unroll 1
    for (int k = 0; k < 12; k++) {
        sum *= 0.5f;
        if (out[i + k] > 3)
            break;
        sum += __half2float(v);
    }
    for (int k = 0; k < 4; k++)
        sum = sum * 0.5f + __half2float(__hmul(in[i + k], __float2half(0.25f)));
    __syncthreads();
    out[i] = sum;
}
