// Atomic functions of small numbers and other scopes, and accesses with hints.
//# arch compute_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    __shared__ __nv_bfloat16 sum; __shared__ __nv_bfloat162 sums; __shared__ unsigned short word; __shared__ __half h;
    if (threadIdx.x == 0) { sum = 0.0f; sums = __floats2bfloat162_rn(0.0f, 1.0f); word = 5; h = 1.0f; }
    __syncthreads();
    atomicAdd(&sum, __float2bfloat16(1.0f)); atomicAdd(&sums, __floats2bfloat162_rn(2.0f, 1.0f));
    unsigned short was = atomicCAS(&word, (unsigned short)5, (unsigned short)(threadIdx.x + 6));
    atomicAdd(&h, __float2half(0.5f));
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = __bfloat16_as_ushort(sum) + __bfloat16_as_ushort(sums.x) * 3 + __bfloat16_as_ushort(sums.y) * 7 + (word != 5) + __half_as_ushort(h) + (was != 5);
    unsigned m = in[0];
    out[4096 + threadIdx.x] = atomicExch_block(&out[9000 + threadIdx.x], m) + atomicAdd_system(&out[8000], 0u);
    double* d = (double*)(out + 10000); atomicAdd_block(d + threadIdx.x, 0.25); 
    unsigned long long* L = (unsigned long long*)(out + 12000); atomicMax(L + threadIdx.x % 4, 7ull * threadIdx.x); atomicMin((long long*)L + 8 + threadIdx.x % 4, -3ll * threadIdx.x);
    __threadfence_block(); __syncwarp(); __nanosleep(10);
    __stcg(out + 14000 + threadIdx.x, __ldcg(in + threadIdx.x)); __stwt(out + 15000 + threadIdx.x, __ldlu(in + threadIdx.x)); __stcs((float4*)(out + 16000) + threadIdx.x, __ldcs((const float4*)in + threadIdx.x));
    out[17000 + threadIdx.x] = __isGlobal(out) + __isShared(&sum) + (unsigned)__cvta_generic_to_shared(&sum) - (unsigned)__cvta_generic_to_shared(&sum);
}
