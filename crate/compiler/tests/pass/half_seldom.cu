//# arch compute_80
// Functions of half precision that are written seldom.
#include <cuda_fp16.h>
__device__ unsigned mix(unsigned h) { h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; return h ^ h >> 16; }
__device__ unsigned bits(__half v) { return __half_as_ushort(v); }
__device__ unsigned bits(__half2 v) { return __half_as_ushort(v.x) | (unsigned)__half_as_ushort(v.y) << 16; }
__device__ __half number(unsigned at)
{
    const unsigned short special[8] = {0, 0x8000, 0x7fff, 0x7c00, 0xfc00, 0x3c00, 1, 0xbc95};
    const unsigned h = mix(at);
    return (h & 3) == 0 ? __ushort_as_half(special[(h >> 2) & 7]) : (h & 3) == 1 ? __ushort_as_half((unsigned short)(h >> 8)) : __float2half((float)((int)(h >> 8 & 1023) - 512) * 0.03125f);
}

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 64)
        return;
#pragma unroll 1
    for (unsigned i = 0; i < 6; i++) {
        unsigned* to = (unsigned *)out + (t * 6 + i) * 11;
        const unsigned n = t * 6 + i, h = mix(n + 7);
        const __half a = number(n), b = number(n * 3 + 1), c = number(n * 5 + 2);
        const __half2 p = __halves2half2(a, b), q = __halves2half2(c, a), s = __halves2half2(b, c);
        const float x = __half2float(a) * 1.001f + 0.01f;
        const double d = x * 1.0000000001;
        const unsigned long long l = (unsigned long long)h << 20;
        *to++ = (unsigned)(__hle2_mask(p, q));
        *to++ = (unsigned)(__hltu2_mask(p, q));
        *to++ = (unsigned)(__hne2_mask(p, q));
        *to++ = bits(__hmax_nan(a, b));
        *to++ = bits(__hmin2_nan(p, q));
        *to++ = bits(__hcmadd(p, q, s));
        *to++ = bits(__hisnan2(p));
        *to++ = (unsigned)(__half2char_rz(a));
        *to++ = (unsigned)(__half2uchar_rz(a));
        *to++ = bits(htanh_approx(a));
        *to++ = bits(h2tanh_approx(p));
    }
}
