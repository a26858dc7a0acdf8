//# block 64 1
#include <cuda_fp16.h>

// What `asm` takes is there for all threads, whether they need what it makes or not; no comma need stand between operands.
extern "C" __global__ void test(const half2* in, const unsigned* keys, half2* out, unsigned* mixed, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half2 sums[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) sums[k] = __hadd2(in[4 * i + k], in[4 * i + k + 1]);
    unsigned key;
    asm("xor.b32 %0, %1, %2;" : "=r"(key) : "r"(keys[i]) "r"(keys[i + 1]));
    if (i < items - 20) {
#pragma unroll
        for (int k = 0; k < 4; ++k) out[4 * i + k] = sums[k];
        mixed[i] = key;
    }
}
