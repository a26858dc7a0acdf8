// Functions of the mathematics library that are written seldom, of double: to the bit, also for no numbers and for large and tiny ones.
__device__ unsigned mix(unsigned h) { h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; return h ^ h >> 16; }
__device__ double number(unsigned a)
{
    const unsigned h = mix(a), g = mix(h);
    const double u = (double)((unsigned long long)g << 32 | mix(g)) * 5.421010862427522e-20 - 0.5;
    const double scales[8] = {20.0, 2.0, 0.001, 300.0, 6.0, 1e19, 4.0, 1500.0};
    const double specials[16] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 170.0, 4.9e-324, 1e-310, 1.7976931348623157e308, -3.0, 1e16, 1.5, -0.25, 100.0};
    if ((h & 3) == 0)
        return (h & 0x1c) == 0 ? __longlong_as_double((long long)((unsigned long long)(0x7ff00000u | (g & 0x80080000u)) << 32)) : specials[g & 15];
    return (h & 3) == 1 ? __longlong_as_double((long long)((unsigned long long)g << 32 | h)) : __dmul_rn(u, scales[(h >> 2) & 7]);
}

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 64)
        return;
#pragma unroll 1
    for (unsigned i = 0; i < 12; i++) {
        unsigned long long *to = (unsigned long long *)out + (t * 12 + i) * 32;
        const double x = number(t * 97 + i), y = number(t * 89 + i * 7 + 1), z = number(i + t * 3), w = number(i * 5 + t);
        *to++ = __double_as_longlong(acosh(x));
        *to++ = __double_as_longlong(asinh(x));
        *to++ = __double_as_longlong(atanh(x));
        *to++ = __double_as_longlong(erfc(x));
        *to++ = __double_as_longlong(erfcx(x));
        *to++ = __double_as_longlong(erfinv(x));
        *to++ = __double_as_longlong(erfcinv(x));
        *to++ = __double_as_longlong(normcdf(x));
        *to++ = __double_as_longlong(normcdfinv(x));
        *to++ = __double_as_longlong(lgamma(x));
        *to++ = __double_as_longlong(tgamma(x));
        *to++ = __double_as_longlong(sinpi(x));
        *to++ = __double_as_longlong(cospi(x));
        *to++ = __double_as_longlong(rcbrt(x));
        *to++ = __double_as_longlong(logb(x));
        *to++ = __double_as_longlong(cyl_bessel_i0(x));
        *to++ = __double_as_longlong(cyl_bessel_i1(x));
        *to++ = __double_as_longlong(nextafter(x, y));
        *to++ = __double_as_longlong(remainder(x, y));
        *to++ = __double_as_longlong(rhypot(x, y));
        *to++ = ilogb(x);
        *to++ = llround(x);
        *to++ = llrint(x);
        *to++ = __double_as_longlong(ldexp(x, (int)(mix(i) & 511) - 256));
        *to++ = __double_as_longlong(scalbn(x, 3));
        *to++ = __double_as_longlong(norm3d(x, y, z));
        *to++ = __double_as_longlong(rnorm3d(x, y, z));
        *to++ = __double_as_longlong(norm4d(x, y, z, w));
        *to++ = __double_as_longlong(rnorm4d(x, y, z, w));
        *to++ = __double_as_longlong(fdim(x, y));
        *to++ = __double_as_longlong(pow(x, (int)(mix(i) % 9) - 4));
        *to++ = __double_as_longlong(round(x));
        double whole, sine, cosine;
        int exponent, quotient;
        to[-1] += __double_as_longlong(frexp(x, &exponent)) * 3 + exponent;
        to[-2] += __double_as_longlong(modf(x, &whole)) * 5 + __double_as_longlong(whole);
        to[-3] += __double_as_longlong(remquo(x, y, &quotient)) * 7 + quotient;
        sincospi(x, &sine, &cosine);
        to[-4] += __double_as_longlong(sine) * 9 + __double_as_longlong(cosine);
    }
}
