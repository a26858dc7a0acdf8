// Half precision: conversions, arithmetic, comparisons, pairs, to the bit.
#include <cuda_fp16.h>

__device__ unsigned bits(__half v) { return __half_as_ushort(v); }
__device__ unsigned bits(__half2 v) { return __half_as_ushort(v.x) | (unsigned)__half_as_ushort(v.y) << 16; }

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = threadIdx.x;
    unsigned* to = out + t * 96;
    const __half a = __ushort_as_half((unsigned short)(in[t] * 2654435761u >> 16)), b = __float2half(in[t + 32] * 0.37f + 0.01f);
    const __half c = (half)3, d = 0.5f;
    unsigned k = 0;
    to[k++] = bits(__hadd(a, b));
    to[k++] = bits(__hsub(a, b));
    to[k++] = bits(__hmul(a, b));
    to[k++] = bits(__hfma(b, d, c));
    to[k++] = bits(__hdiv(b, c));
    to[k++] = bits(__hdiv(__float2half(0.00002f * t), c));
    to[k++] = bits(a + b * c - d);
    to[k++] = bits(b / c);
    to[k++] = bits(-b);
    to[k++] = bits(__habs(a));
    to[k++] = bits(__hmax(b, c));
    to[k++] = bits(__hmin(b, c));
    to[k++] = bits(hsqrt(b));
    to[k++] = bits(hrsqrt(b));
    to[k++] = bits(hrcp(b));
    to[k++] = bits(hexp(d * b));
    to[k++] = bits(hlog(b));
    to[k++] = bits(hfloor(b)) + bits(hceil(b)) + bits(htrunc(b)) + bits(hrint(b));
    to[k++] = a < b;
    to[k++] = a <= b;
    to[k++] = a == b;
    to[k++] = b != c;
    to[k++] = __hgt(b, c) + 2 * __hge(c, c) + 4 * __hisnan(a) + 8 * __hlt(b, c);
    to[k++] = __float_as_uint(__half2float(b));
    to[k++] = __float_as_uint((float)b * 2);
    const float f = b;
    to[k++] = __float_as_uint(f);
    to[k++] = (int)b;
    to[k++] = __half2int_rn(b) + __half2uint_rz(b) + __half2int_ru(b);
    to[k++] = bits(__int2half_rn((int)in[t])) + bits(__float2half_rz(1.0001f * t)) + bits(__double2half(t * 0.1));
    half sum = 0;
    for (int i = 0; i < 4; i++)
        sum += __float2half((float)i) * b;
    to[k++] = bits(sum);
    const half2 p = __halves2half2(b, c), q = __float2half2_rn(0.25f), r = __floats2half2_rn(t * 0.5f, 2.0f);
    to[k++] = bits(__hadd2(p, q));
    to[k++] = bits(__hmul2(p, r));
    to[k++] = bits(__hfma2(p, q, r));
    to[k++] = bits(p * q + r);
    to[k++] = bits(__hsub2(p, r));
    to[k++] = __float_as_uint(__low2float(p)) + __float_as_uint(__high2float(p));
    const float2 z = __half22float2(p);
    to[k++] = __float_as_uint(z.x * z.y);
    to[k++] = bits(__lowhigh2highlow(p));
    to[k++] = bits(__low2half(p)) + bits(__high2half(r));
    to[k++] = bits(__hneg2(p)) ^ bits(__habs2(r)) ^ bits(__half2half2(c));
    to[k++] = bits(__shfl_down_sync(0xffffffffu, b, 4)) + bits(__shfl_xor_sync(0xffffffffu, p, 1));
    const half* of = reinterpret_cast<const half*>(in);
    to[k++] = bits(of[t]) + bits(of[2 * t + 1]);
    const half2* pairs = reinterpret_cast<const half2*>(in);
    const half2 read = pairs[t + 32];
    to[k++] = bits(read) + bits(__ldg(&pairs[t]));
    reinterpret_cast<half2*>(to)[k++] = __hmul2(read, q);
    reinterpret_cast<half*>(to)[2 * k] = b;
    reinterpret_cast<half*>(to)[2 * k + 1] = 1.5f;
    k++;
    __shared__ half tile[64];
    tile[t] = b;
    tile[t + 32] = c * b;
    __syncthreads();
    to[k++] = bits(tile[63 - t]);
}
