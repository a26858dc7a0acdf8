// Functions of the mathematics library that are written seldom, of float: to the bit, also for no numbers and for large and tiny ones.
__device__ unsigned mix(unsigned h) { h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; return h ^ h >> 16; }
__device__ const unsigned special[32] = {0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fffffffu, 1u, 0x80000001u, 0x3f800000u, 0xbf800000u, 0x7f7fffffu, 0x4b000001u, 0xc7ce4781u, 0x40490fdbu, 0x3f000000u, 0xc0400000u, 0x00800000u,
                                         0x807fffffu, 0x3f7fffffu, 0xbf7fffffu, 0x3f800001u, 0x4f000000u, 0xcf000000u, 0x5f000000u, 0xdf000000u, 0x40000000u, 0xc0000000u, 0x42c80000u, 0xc2c80000u, 0x3fc00000u, 0xc0200000u, 0x3eaaaaabu, 0x3e800000u};
__device__ float number(unsigned a)
{
    const unsigned h = mix(a), g = mix(h);
    const float u = (float)(g >> 8) * 5.9604644775390625e-08f - 0.5f;
    const float scales[8] = {20.0f, 2.0f, 0.001f, 300.0f, 6.0f, 1e10f, 4.0f, 60.0f};
    return (h & 3) == 0 ? __uint_as_float(special[g & 31]) : (h & 3) == 1 ? __uint_as_float(g) : __fmul_rn(u, scales[(h >> 2) & 7]);
}

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 64)
        return;
#pragma unroll 1
    for (unsigned i = 0; i < 12; i++) {
        unsigned* to = (unsigned *)out + (t * 12 + i) * 35;
        const float x = number(t * 97 + i), y = number(t * 89 + i * 7 + 1), z = number(i + t * 3), w = number(i * 5 + t);
        *to++ = __float_as_uint(acoshf(x));
        *to++ = __float_as_uint(asinhf(x));
        *to++ = __float_as_uint(atanhf(x));
        *to++ = __float_as_uint(erfcf(x));
        *to++ = __float_as_uint(erfcxf(x));
        *to++ = __float_as_uint(erfinvf(x));
        *to++ = __float_as_uint(erfcinvf(x));
        *to++ = __float_as_uint(normcdff(x));
        *to++ = __float_as_uint(normcdfinvf(x));
        *to++ = __float_as_uint(lgammaf(x));
        *to++ = __float_as_uint(tgammaf(x));
        *to++ = __float_as_uint(sinpif(x));
        *to++ = __float_as_uint(cospif(x));
        *to++ = __float_as_uint(rcbrtf(x));
        *to++ = __float_as_uint(logbf(x));
        *to++ = __float_as_uint(cyl_bessel_i0f(x));
        *to++ = __float_as_uint(cyl_bessel_i1f(x));
        *to++ = __float_as_uint(nextafterf(x, y));
        *to++ = __float_as_uint(remainderf(x, y));
        *to++ = __float_as_uint(rhypotf(x, y));
        *to++ = ilogbf(x);
        *to++ = llroundf(x);
        *to++ = llrintf(x);
        *to++ = __float_as_uint(ldexpf(x, (int)(mix(i) & 511) - 256));
        *to++ = __float_as_uint(scalbnf(x, 3));
        *to++ = __float_as_uint(norm3df(x, y, z));
        *to++ = __float_as_uint(rnorm3df(x, y, z));
        *to++ = __float_as_uint(norm4df(x, y, z, w));
        *to++ = __float_as_uint(rnorm4df(x, y, z, w));
        *to++ = __float_as_uint(fdimf(x, y));
        *to++ = __float_as_uint(pow(x, (int)(mix(i) % 9) - 4));
        *to++ = __float_as_uint(__frsqrt_rn(x));
        *to++ = __float_as_uint(copysign(x, y));
        *to++ = __float_as_uint(ceil(x));
        *to++ = __float_as_uint(round(x));
        float whole, sine, cosine;
        int exponent, quotient;
        to[-1] += __float_as_uint(frexpf(x, &exponent)) * 3 + exponent;
        to[-2] += __float_as_uint(modff(x, &whole)) * 5 + __float_as_uint(whole);
        to[-3] += __float_as_uint(remquof(x, y, &quotient)) * 7 + quotient;
        sincospif(x, &sine, &cosine);
        to[-4] += __float_as_uint(sine) * 9 + __float_as_uint(cosine);
    }
}
