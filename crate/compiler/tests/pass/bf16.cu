//# arch compute_80
// The type bfloat16, to the bit.
#include <cuda_bf16.h>

__device__ unsigned bits(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }
__device__ unsigned bits(__nv_bfloat162 v) { return __bfloat16_as_ushort(v.x) | (unsigned)__bfloat16_as_ushort(v.y) << 16; }

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = threadIdx.x;
    unsigned* to = out + t * 32;
    const __nv_bfloat16 a = __float2bfloat16(in[t] * 0.37f - 3), b = __float2bfloat16(in[t + 32] * 0.01f + 0.3f), c = 2.5f;
    unsigned k = 0;
    to[k++] = bits(a);
    to[k++] = bits(__hadd(a, b));
    to[k++] = bits(__hsub(a, b));
    to[k++] = bits(__hmul(a, b));
    to[k++] = bits(__hfma(a, b, c));
    to[k++] = bits(a * b + c);
    to[k++] = bits(b / c);
    to[k++] = bits(-a);
    to[k++] = bits(__habs(a));
    to[k++] = bits(__hmax(a, c));
    to[k++] = (a < b) + 2 * (a >= c) + 4 * (a == a);
    to[k++] = __float_as_uint(__bfloat162float(a));
    to[k++] = __float_as_uint((float)b * 3.0f);
    const __nv_bfloat162 p = __halves2bfloat162(a, b), q = __floats2bfloat162_rn(0.5f, t * 1.5f);
    to[k++] = bits(__hadd2(p, q));
    to[k++] = bits(__hmul2(p, q));
    to[k++] = bits(__hfma2(p, q, q));
    const float2 f = __bfloat1622float2(q);
    to[k++] = __float_as_uint(f.x + f.y);
    __nv_bfloat16 sum = 0.0f;
    for (int i = 0; i < 3; i++)
        sum += a;
    to[k++] = bits(sum);
    reinterpret_cast<__nv_bfloat162*>(to)[k++] = __hadd2(reinterpret_cast<const __nv_bfloat162*>(in)[t], q);
}
