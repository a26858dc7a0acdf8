//# arch compute_80
// Functions of bfloat16: arithmetic with bounds, comparisons, conversions with each rounding, and of the mathematics library.
#include <cuda_bf16.h>
__device__ unsigned mix(unsigned h) { h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; return h ^ h >> 16; }
__device__ unsigned bits(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }
__device__ unsigned bits(__nv_bfloat162 v) { return __bfloat16_as_ushort(v.x) | (unsigned)__bfloat16_as_ushort(v.y) << 16; }
__device__ __nv_bfloat16 number(unsigned at)
{
    const unsigned short special[8] = {0, 0x8000, 0x7fff, 0x7f80, 0xff80, 0x3f80, 1, 0xbc95};
    const unsigned h = mix(at);
    return (h & 3) == 0 ? __ushort_as_bfloat16(special[(h >> 2) & 7]) : (h & 3) == 1 ? __ushort_as_bfloat16((unsigned short)(h >> 8)) : __float2bfloat16((float)((int)(h >> 8 & 1023) - 512) * 0.03125f);
}

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 64)
        return;
#pragma unroll 1
    for (unsigned i = 0; i < 6; i++) {
        unsigned* to = (unsigned *)out + (t * 6 + i) * 88;
        const unsigned n = t * 6 + i, h = mix(n + 7);
        const __nv_bfloat16 a = number(n), b = number(n * 3 + 1), c = number(n * 5 + 2);
        const __nv_bfloat162 p = __halves2bfloat162(a, b), q = __halves2bfloat162(c, a), s = __halves2bfloat162(b, c);
        const float x = __bfloat162float(a) * 1.001f + 0.01f;
        const double d = x * 1.0000000001;
        const unsigned long long l = (unsigned long long)h << 20;
        *to++ = (unsigned)(__heq(a, b));
        *to++ = (unsigned)(__hequ(a, b));
        *to++ = (unsigned)(__hne(a, b));
        *to++ = (unsigned)(__hneu(a, b));
        *to++ = (unsigned)(__hlt(a, b));
        *to++ = (unsigned)(__hltu(a, b));
        *to++ = (unsigned)(__hle(a, b));
        *to++ = (unsigned)(__hleu(a, b));
        *to++ = (unsigned)(__hgt(a, b));
        *to++ = (unsigned)(__hgtu(a, b));
        *to++ = (unsigned)(__hge(a, b));
        *to++ = (unsigned)(__hgeu(a, b));
        *to++ = (unsigned)(__hbeq2(p, q));
        *to++ = (unsigned)(__hbltu2(p, q));
        *to++ = bits(__heq2(p, q));
        *to++ = bits(__hneu2(p, q));
        *to++ = bits(__hgt2(p, q));
        *to++ = (unsigned)(__hle2_mask(p, q));
        *to++ = (unsigned)(__hltu2_mask(p, q));
        *to++ = (unsigned)(__hne2_mask(p, q));
        *to++ = bits(hsqrt(a));
        *to++ = bits(hrsqrt(a));
        *to++ = bits(hrcp(a));
        *to++ = bits(htanh(a));
        *to++ = bits(hexp(a));
        *to++ = bits(hexp2(a));
        *to++ = bits(hexp10(a));
        *to++ = bits(hlog(a));
        *to++ = bits(hlog2(a));
        *to++ = bits(hlog10(a));
        *to++ = bits(hsin(a));
        *to++ = bits(hcos(a));
        *to++ = bits(hfloor(a));
        *to++ = bits(hceil(a));
        *to++ = bits(hrint(a));
        *to++ = bits(htrunc(a));
        *to++ = bits(h2exp(p));
        *to++ = bits(h2sin(p));
        *to++ = bits(h2tanh_approx(p));
        *to++ = bits(__hadd_sat(a, b));
        *to++ = bits(__hsub2_sat(p, q));
        *to++ = bits(__hfma_sat(a, b, c));
        *to++ = bits(__hfma_relu(a, b, c));
        *to++ = bits(__hfma2_relu(p, q, s));
        *to++ = bits(__hmul_rn(a, b));
        *to++ = bits(__hdiv(a, b));
        *to++ = bits(__h2div(p, q));
        *to++ = bits(__hmax2(p, q));
        *to++ = bits(__hmin_nan(a, b));
        *to++ = bits(__hmax2_nan(p, q));
        *to++ = bits(__hcmadd(p, q, s));
        *to++ = bits(__hneg2(p));
        *to++ = bits(__habs2(p));
        *to++ = (unsigned)(__hisinf(a));
        *to++ = bits(__hisnan2(p));
        *to++ = (unsigned)(__bfloat162int_rn(a));
        *to++ = (unsigned)(__bfloat162int_rd(a));
        *to++ = (unsigned)(__bfloat162uint_rn(a));
        *to++ = (unsigned)(__bfloat162uint_rd(a));
        *to++ = (unsigned)(__bfloat162ll_rn(a));
        *to++ = (unsigned)(__bfloat162ll_rd(a));
        *to++ = (unsigned)(__bfloat162ull_rn(a));
        *to++ = (unsigned)(__bfloat162ull_rd(a));
        *to++ = (unsigned)(__bfloat162short_rn(a));
        *to++ = (unsigned)(__bfloat162short_rd(a));
        *to++ = (unsigned)(__bfloat162ushort_rn(a));
        *to++ = (unsigned)(__bfloat162ushort_rd(a));
        *to++ = bits(__int2bfloat16_rn((int)h));
        *to++ = bits(__int2bfloat16_rz((int)h));
        *to++ = bits(__int2bfloat16_ru((int)h));
        *to++ = bits(__uint2bfloat16_rn(h));
        *to++ = bits(__uint2bfloat16_rz(h));
        *to++ = bits(__uint2bfloat16_ru(h));
        *to++ = bits(__ll2bfloat16_rn((long long)l));
        *to++ = bits(__ll2bfloat16_rz((long long)l));
        *to++ = bits(__ll2bfloat16_ru((long long)l));
        *to++ = bits(__ull2bfloat16_rn(l));
        *to++ = bits(__ull2bfloat16_rz(l));
        *to++ = bits(__ull2bfloat16_ru(l));
        *to++ = bits(__short2bfloat16_rn((short)h));
        *to++ = bits(__short2bfloat16_rz((short)h));
        *to++ = bits(__short2bfloat16_ru((short)h));
        *to++ = (unsigned)(__bfloat162char_rz(a));
        *to++ = (unsigned)(__bfloat162uchar_rz(a));
        *to++ = bits(__double2bfloat16(d));
        *to++ = bits(__float2bfloat16_rd(x));
        *to++ = bits(__float2bfloat16_ru(x));
        *to++ = bits(__lowhigh2highlow(p));
    }
}
