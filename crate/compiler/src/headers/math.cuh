// Functions of the mathematics library that branch or loop, with the steps and the coefficients that NVRTC's PTX has, so
// that results are the same to the bit. `//@ name: what it needs` begins a section; a source gets those that it names.
// Sums and products that must not become one `fma` are spelled `__fadd_rn` and `__fmul_rn`.
//@ __reduced_angle
// The bits of 2 / pi, the lowest first.
__device__ const unsigned __two_over_pi[6] = {0x3c439041u, 0xdb629599u, 0xf534ddc0u, 0xfc2757d1u, 0x4e441529u, 0xa2f9836eu};
// An angle less the nearest multiple of pi / 2, and which multiple that is.
__device__ inline float __reduced_angle(float x, int* quadrant)
{
    int multiple = __float2int_rn(x * __int_as_float(0x3f22f983));
    const float k = __int2float_rn(multiple);
    float r = __fmaf_rn(k, __int_as_float(0xbfc90fda), x);
    r = __fmaf_rn(k, __int_as_float(0xb3a22168), r);
    r = __fmaf_rn(k, __int_as_float(0xa7c234c5), r);
    if (fabsf(x) >= __int_as_float(0x47ce4780)) {
        if (fabsf(x) == __int_as_float(0x7f800000)) {
            r = __fmul_rn(x, 0.0f);
            multiple = 0;
        } else {
            const unsigned bits = __float_as_uint(x), exponent = ((bits >> 23) & 255) - 128, fraction = bits << 8 | 0x80000000u;
            unsigned words[7];
            unsigned long long carry = 0;
            for (int i = 0; i < 6; i++) {
                carry += (unsigned long long)__two_over_pi[i] * fraction;
                words[i] = (unsigned)carry;
                carry >>= 32;
            }
            words[6] = (unsigned)carry;
            const int skipped = (int)(exponent >> 5), shift = (int)(exponent & 31);
            unsigned high = words[6 - skipped], low = words[5 - skipped];
            if (shift != 0) {
                high = (high << shift) + (low >> (32 - shift));
                low = (low << shift) + (words[4 - skipped] >> (32 - shift));
            }
            const unsigned top = high << 2 | low >> 30, rounds_up = top >> 31;
            const unsigned flips = rounds_up != 0 ? 0xffffffffu : 0;
            const bool is_negative = ((bits >> 31) ^ rounds_up) != 0;
            multiple = (int)(rounds_up + (high >> 30));
            if ((bits >> 31) != 0)
                multiple = -multiple;
            const unsigned long long rest = (unsigned long long)(top ^ flips) << 32 | ((low << 2) ^ flips);
            r = __double2float_rn((double)(long long)rest * __longlong_as_double(0x3bf921fb54442d19));
            if (is_negative)
                r = -r;
        }
    }
    *quadrant = multiple;
    return r;
}
//@ __sine_of: __reduced_angle
__device__ inline float __sine_of(float r, int quadrant)
{
    const bool is_sine = (quadrant & 1) == 0;
    const float first = is_sine ? r : 1.0f, square = r * r;
    float sum = __int_as_float(0xb94d4153);
    if (!is_sine)
        sum = __fmaf_rn(__int_as_float(0x37cbac00), square, __int_as_float(0xbab607ed));
    sum = __fmaf_rn(sum, square, __int_as_float(is_sine ? 0x3c0885e4 : 0x3d2aaabb));
    sum = __fmaf_rn(sum, square, __int_as_float(is_sine ? 0xbe2aaaa8 : 0xbeffffff));
    float result = __fmaf_rn(sum, __fmaf_rn(square, first, 0.0f), first);
    if ((quadrant & 2) != 0)
        result = __fmaf_rn(result, -1.0f, 0.0f);
    return result;
}
//@ sinf: __sine_of
__device__ inline float sinf(float x)
{
    int quadrant;
    const float r = __reduced_angle(x, &quadrant);
    return __sine_of(r, quadrant);
}
//@ cosf: __sine_of
__device__ inline float cosf(float x)
{
    int quadrant;
    const float r = __reduced_angle(x, &quadrant);
    return __sine_of(r, quadrant + 1);
}
//@ sincosf: __reduced_angle
__device__ inline void sincosf(float x, float* sine, float* cosine)
{
    int quadrant;
    const float r = __reduced_angle(x, &quadrant), square = r * r;
    float even = __fmaf_rn(__int_as_float(0x37cbac00), square, __int_as_float(0xbab607ed));
    even = __fmaf_rn(even, square, __int_as_float(0x3d2aaabb));
    even = __fmaf_rn(even, square, __int_as_float(0xbeffffff));
    even = __fmaf_rn(even, square, 1.0f);
    const float cube = __fmaf_rn(square, r, 0.0f);
    float odd = __fmaf_rn(__int_as_float(0xb94d4153), square, __int_as_float(0x3c0885e4));
    odd = __fmaf_rn(odd, square, __int_as_float(0xbe2aaaa8));
    odd = __fmaf_rn(odd, cube, r);
    const bool is_turned = (quadrant & 1) == 1;
    const float s = is_turned ? even : odd, c = is_turned ? odd : even;
    *sine = (quadrant & 2) == 0 ? s : -s;
    *cosine = ((quadrant + 1) & 2) == 0 ? c : -c;
}
//@ tanf: __reduced_angle
__device__ inline float tanf(float x)
{
    int quadrant;
    const float r = __reduced_angle(x, &quadrant);
    const float square = r * r;
    float sum = __fmaf_rn(__int_as_float(0x3c190000), square, __int_as_float(0x3b560000));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3cc70000));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3d5b0000));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3e089438));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3eaaaa88));
    float tangent = __fmaf_rn(sum, square * r, r);
    if (fabsf(r) == __int_as_float(0x3a00b43c))
        tangent = r;
    const float inverse = __rcp_ftz(-tangent);
    return (quadrant & 1) != 0 ? inverse : tangent;
}
//@ powf
__device__ inline float powf(float x, float y)
{
    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    const float size = fabsf(x);
    if (!(size <= __int_as_float(0x7f800000)) || !(fabsf(y) <= __int_as_float(0x7f800000)))
        return x + y;
    const float halved = y * 0.5f, whole = truncf(halved);
    const float parity = fabsf(y - (whole + whole));
    if (x == 0.0f || size == __int_as_float(0x7f800000)) {
        unsigned bits = __float_as_uint(x + x);
        if (y < 0.0f)
            bits ^= 0x7f800000u;
        return __uint_as_float(parity == 1.0f ? bits : bits & 0x7fffffffu);
    }
    if (x == -1.0f && fabsf(y) == __int_as_float(0x7f800000))
        return 1.0f;
    // The logarithm to base 2 as the sum of two floats.
    const bool is_small = size < __int_as_float(0x00800000);
    const int bits = __float_as_int(is_small ? size * 16777216.0f : size);
    const int exponent = (bits - 0x3f3504f3) & (int)0xff800000u;
    const float fraction = __int_as_float(bits - exponent);
    const float k = __fmaf_rn(__int2float_rn(exponent), __int_as_float(0x34000000), is_small ? -24.0f : 0.0f);
    const float less = fraction + -1.0f, more = fraction + 1.0f;
    const float inverse = __rcp_ftz(more);
    const float u = (less + less) * inverse, square = u * u;
    const float rest = less - u;
    const float u_low = inverse * __fmaf_rn(-u, less, rest + rest);
    float sum = __fmaf_rn(__int_as_float(0x3a2c32e4), square, __int_as_float(0x3b52e7db));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3c93bb73));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3df6384f)) * square;
    const float log2_e = __int_as_float(0x3fb8aa3b);
    const float first = __fmaf_rn(u, log2_e, k);
    float second = __fmaf_rn(u, log2_e, k - first);
    second = __fmaf_rn(u_low, log2_e, second);
    second = __fmaf_rn(u, __int_as_float(0x32a55e34), second);
    second = __fmaf_rn(sum * 3.0f, u_low, second);
    second = __fmaf_rn(sum, u, second);
    const float high = first + second;
    const float low = second + -(high + -first);
    // Two to the power of its product with y.
    const float product = high * y;
    const float product_low = __fmaf_rn(low, y, __fmaf_rn(high, y, -product));
    const float nearest = rintf(product), part = product_low + (product - nearest);
    float power = __fmaf_rn(__int_as_float(0x391fcb8e), part, __int_as_float(0x3aaf85ed));
    power = __fmaf_rn(power, part, __int_as_float(0x3c1d9856));
    power = __fmaf_rn(power, part, __int_as_float(0x3d6357bb));
    power = __fmaf_rn(power, part, __int_as_float(0x3e75fdec));
    power = __fmaf_rn(power, part, __int_as_float(0x3f317218));
    power = __fmaf_rn(power, part, 1.0f);
    const int steps = nearest > 0.0f ? 0 : (int)0x83000000u;
    power = power * __int_as_float(steps + 0x7f000000);
    power = power * __int_as_float((__float2int_rz(nearest) << 23) - steps);
    if (fabsf(product) > 152.0f)
        power = product < 0.0f ? 0.0f : __int_as_float(0x7f800000);
    if (x >= 0.0f)
        return power;
    if (floorf(y) != y)
        return __int_as_float(0x7fffffff);
    return parity == 1.0f ? -power : power;
}
//@ __power
// A power of e or of ten, by what x is multiplied with for one of two, which are two numbers, and by a part of the first.
__device__ inline float __power(float x, int part, int factor, int factor_low)
{
    const float k = __fmaf_rd(__saturatef(__fmaf_rn(x, __int_as_float(part), 0.5f)), 252.0f, __int_as_float(0x4b400001));
    const float rest = __fmaf_rn(x, __int_as_float(factor_low), __fmaf_rn(x, __int_as_float(factor), -(k + __int_as_float(0xcb40007f))));
    return __ex2_ftz(rest) * __int_as_float(__float_as_int(k) << 23);
}
//@ expf: __power
__device__ inline float expf(float x) { return __power(x, 0x3bbb989d, 0x3fb8aa3b, 0x32a57060); }
//@ exp10f: __power
__device__ inline float exp10f(float x) { return __power(x, 0x3c57fa62, 0x40549a78, 0x33979a37); }
//@ __logarithm_parts
// A number that is not subnormal, its exponent as a float, and how much what is left is above 1; that lies around 1, from `least` on.
__device__ inline float __logarithm_parts(float x, int least, float* k, float* less)
{
    const bool is_small = x < __int_as_float(0x00800000);
    const float of = is_small ? x * 8388608.0f : x;
    const int bits = __float_as_int(of), exponent = (bits - least) & (int)0xff800000u;
    *k = __fmaf_rn(__int2float_rn(exponent), __int_as_float(0x34000000), is_small ? -23.0f : 0.0f);
    *less = __int_as_float(bits - exponent) + -1.0f;
    return of;
}
//@ __logarithm_of
// The same for what is no number, or without end.
__device__ inline float __logarithm_of(float of, float result)
{
    if ((unsigned)__float_as_int(of) >= 0x7f800000u)
        result = __fmaf_rn(of, __int_as_float(0x7f800000), __int_as_float(0x7f800000));
    return result;
}
//@ __logarithm: __logarithm_parts __logarithm_of
// The natural logarithm, but of zero, and the number that is not subnormal.
__device__ inline float __logarithm(float x, float* of)
{
    float k, less;
    *of = __logarithm_parts(x, 0x3f2aaaab, &k, &less);
    float sum = __fmaf_rn(__int_as_float(0xbe055027), less, __int_as_float(0x3e1039f6));
    sum = __fmaf_rn(sum, less, __int_as_float(0xbdf8cdcc));
    sum = __fmaf_rn(sum, less, __int_as_float(0x3e0f2955));
    sum = __fmaf_rn(sum, less, __int_as_float(0xbe2ad8b9));
    sum = __fmaf_rn(sum, less, __int_as_float(0x3e4ced0b));
    sum = __fmaf_rn(sum, less, __int_as_float(0xbe7fff22));
    sum = __fmaf_rn(sum, less, __int_as_float(0x3eaaaa78));
    sum = __fmaf_rn(sum, less, __int_as_float(0xbf000000));
    return __logarithm_of(*of, __fmaf_rn(k, __int_as_float(0x3f317218), __fmaf_rn(less * sum, less, less)));
}
//@ logf: __logarithm
__device__ inline float logf(float x)
{
    float of;
    const float result = __logarithm(x, &of);
    return of == 0.0f ? __int_as_float(0xff800000) : result;
}
//@ log10f: __logarithm
__device__ inline float log10f(float x)
{
    float of;
    const float result = __logarithm(x, &of);
    return of == 0.0f ? __int_as_float(0xff800000) : result * __int_as_float(0x3ede5bd9);
}
//@ log2f: __logarithm_parts __logarithm_of
__device__ inline float log2f(float x)
{
    float k, less;
    const float of = __logarithm_parts(x, 0x3f3504f3, &k, &less);
    float sum = __fmaf_rn(__int_as_float(0x3dc6b27f), less, __int_as_float(0xbe2c7f30));
    sum = __fmaf_rn(sum, less, __int_as_float(0x3e2fcf2a));
    sum = __fmaf_rn(sum, less, __int_as_float(0xbe374e43));
    sum = __fmaf_rn(sum, less, __int_as_float(0x3e520bf4));
    sum = __fmaf_rn(sum, less, __int_as_float(0xbe763c8b));
    sum = __fmaf_rn(sum, less, __int_as_float(0x3e93bf99));
    sum = __fmaf_rn(sum, less, __int_as_float(0xbeb8aa49));
    sum = __fmaf_rn(sum, less, __int_as_float(0x3ef6384a));
    sum = __fmaf_rn(sum, less, __int_as_float(0xbf38aa3b));
    const float result = __logarithm_of(of, k + __fmaf_rn(less, __int_as_float(0x3fb8aa3b), less * (less * sum)));
    return of == 0.0f ? __int_as_float(0xff800000) : result;
}
//@ erff
__device__ inline float erff(float x)
{
    const float size = fabsf(x);
    const bool is_large = size >= __int_as_float(0x3f8060fe);
    const float z = is_large ? size : x * x;
    float sum = __int_as_float(is_large ? 0x38eb4c3a : 0x38b1e96a);
    sum = __fmaf_rn(sum, z, __int_as_float(is_large ? 0xbaae005b : 0xba574d20));
    sum = __fmaf_rn(sum, z, __int_as_float(is_large ? 0x3c09919f : 0x3baad5ea));
    sum = __fmaf_rn(sum, z, __int_as_float(is_large ? 0xbd24d99a : 0xbcdc1be7));
    sum = __fmaf_rn(sum, z, __int_as_float(is_large ? 0x3e235519 : 0x3de718af));
    sum = __fmaf_rn(sum, z, __int_as_float(is_large ? 0x3f69b4f9 : 0xbec093ac));
    sum = __fmaf_rn(sum, z, __int_as_float(is_large ? 0x3f210a14 : 0x3e0375d3));
    const float first = is_large ? -size : x;
    const float result = __fmaf_rn(sum, first, first);
    if (!is_large)
        return result;
    const float power = __ex2_ftz(result);
    return copysignf(1.0f - power, x);
}
//@ atanf
__device__ inline float atanf(float x)
{
    const float size = fabsf(x);
    const float inverse = __rcp_ftz(size);
    const float z = size > 1.0f ? inverse : size, square = z * z;
    float sum = __fmaf_rn(__int_as_float(0x3b2090aa), square, __int_as_float(0xbc6be14f));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3d23397e));
    sum = __fmaf_rn(sum, square, __int_as_float(0xbd948a7a));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3dd76b21));
    sum = __fmaf_rn(sum, square, __int_as_float(0xbe111e88));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3e4caf60));
    sum = __fmaf_rn(sum, square, __int_as_float(0xbeaaaa27));
    float angle = __fmaf_rn(square * sum, z, z);
    if (size > 1.0f)
        angle = __fmaf_rn(__int_as_float(0x3f6ee581), __int_as_float(0x3fd774eb), -angle);
    return size <= __int_as_float(0x7f800000) ? copysignf(angle, x) : angle;
}
//@ atan2f
__device__ inline float atan2f(float y, float x)
{
    const float a = fabsf(x), b = fabsf(y);
    const bool is_steep = b > a;
    const float larger = is_steep ? b : a, smaller = is_steep ? a : b;
    const float z = __fdiv_rn(smaller, larger), square = z * z;
    float sum = __fmaf_rn(__int_as_float(0x3b33710b), square, __int_as_float(0xbc807748));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3d2cdab2));
    sum = __fmaf_rn(sum, square, __int_as_float(0xbd992d10));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3dd9ea6c));
    sum = __fmaf_rn(sum, square, __int_as_float(0xbe117cb1));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3e4cbce0));
    sum = __fmaf_rn(sum, square, __int_as_float(0xbeaaaa7d));
    float angle = __fmaf_rn(square * sum, z, z);
    const bool is_left = __float_as_int(x) < 0;
    if (is_steep)
        angle = __fmaf_rn(__int_as_float(0x3f6ee581), __int_as_float(0x3fd774eb), is_left ? angle : -angle);
    else if (is_left)
        angle = __fmaf_rn(__int_as_float(0x3feee581), __int_as_float(0x3fd774eb), -angle);
    if (a == b)
        angle = __int_as_float(is_left ? 0x4016cbe4 : 0x3f490fdb);
    if (larger == 0.0f)
        angle = __int_as_float(is_left ? 0x40490fdb : 0);
    const float both = a + b;
    return fabsf(both) <= __int_as_float(0x7f800000) ? copysignf(angle, y) : both;
}
//@ __half_angle
// The square root of (1 - |x|) / 2.
__device__ inline float __half_angle(float size)
{
    const float part = __fmaf_rn(0.5f, -size, 0.5f);
    const float inverse = __rsqrt_ftz(part);
    const float root = part * inverse;
    const float better = __fmaf_rn(root, __fmaf_rn(-root, inverse * 0.5f, 0.5f), root);
    return size == 1.0f ? 0.0f : better;
}
//@ asinf: __half_angle
__device__ inline float asinf(float x)
{
    const float size = fabsf(x);
    const bool is_large = size > __int_as_float(0x3f0f5c29);
    const float half = __half_angle(size), z = is_large ? half : size, square = z * z;
    float sum = __fmaf_rn(__int_as_float(0x3d4dd2f7), square, __int_as_float(0x3c99ca97));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3d3f90e8));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3d993ccf));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3e2aac04));
    const float part = __fmaf_rn(square * sum, z, z);
    const float large = __fmaf_rn(__int_as_float(0x3f6ee581), __int_as_float(0x3fd774eb), part * -2.0f);
    const float angle = is_large ? large : part, with_sign = copysignf(angle, x);
    return angle <= __int_as_float(0x7f800000) ? with_sign : angle;
}
//@ acosf: __half_angle
__device__ inline float acosf(float x)
{
    const float size = fabsf(x);
    const bool is_large = size > __int_as_float(0x3f0f5c29);
    const float half = __half_angle(size), z = copysignf(is_large ? half : size, x), square = z * z;
    float sum = __fmaf_rn(__int_as_float(0x3d10ecef), square, __int_as_float(0x3c8b1abb));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3cfc028c));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3d372139));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3d9993db));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3e2aaac6));
    const float part = __fmaf_rn(square * sum, z, z);
    const float other = __fmaf_rn(__int_as_float(0x3f6ee581), __int_as_float(0x3fd774eb), is_large ? part : -part);
    const float angle = x > __int_as_float(0x3f0f5c29) ? part : other, twice = angle + angle;
    return is_large ? twice : angle;
}
//@ __half_power
// e to the power of |x|, a quarter of it.
__device__ inline float __half_power(float x)
{
    const float size = fabsf(x);
    float k = truncf(size * __int_as_float(0x3fb8aa3b));
    if (fabsf(k) > 126.0f)
        k = copysignf(126.0f, k);
    const float rest = __fmaf_rn(k, __int_as_float(0x3102e308), __fmaf_rn(k, __int_as_float(0xbf317218), size));
    const float power = __ex2_ftz(rest * __int_as_float(0x3fb8aa3b));
    const int bits = __float_as_int(k + __int_as_float(0x4b40007d));
    return power * __int_as_float(bits << 23);
}
//@ sinhf: __half_power
__device__ inline float sinhf(float x)
{
    const float power = __half_power(x);
    const float inverse = __div_ftz(-0.125f, power);
    const float large = __fmaf_rn(2.0f, power, inverse), square = x * x;
    float sum = __fmaf_rn(__int_as_float(0x363d0ada), square, __int_as_float(0x394fff49));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3c08889a));
    sum = __fmaf_rn(sum, square, __int_as_float(0x3e2aaaab));
    const float small = __fmaf_rn(square * sum, x, x);
    const float with_sign = copysignf(large, x);
    return fabsf(x) >= 1.0f ? with_sign : small;
}
//@ coshf: __half_power
__device__ inline float coshf(float x)
{
    const float power = __half_power(x);
    const float inverse = __div_ftz(0.125f, power);
    return __fmaf_rn(2.0f, power, inverse);
}
//@ cbrtf
__device__ inline float cbrtf(float x)
{
    const float size = fabsf(x);
    const float power = __ex2_ftz(__log2f(size) * __int_as_float(0xbf2aaaab));
    const float root = size * power, square = power * root;
    const float better = __fmaf_rn(root, __fmaf_rn(root, -square, 1.0f) * __int_as_float(0x3eaaaaab), root);
    const float with_sign = x < 0.0f ? -better : better, twice = x + x;
    return twice == x ? twice : with_sign;
}
//@ hypotf
__device__ inline float hypotf(float x, float y)
{
    const int a = __float_as_int(fabsf(x)), b = __float_as_int(fabsf(y));
    const float smaller = __int_as_float(min(b, a)), larger = __int_as_float(max(b, a));
    const int exponent = max(b, a) & (int)0xfe000000u;
    const float scale = __int_as_float(0x7e800000 - exponent);
    const float s = smaller * scale, l = larger * scale;
    const float root = __fsqrt_rn(__fmaf_rn(l, l, s * s)) * __int_as_float(exponent | 0x00800000);
    const float result = smaller == 0.0f ? larger : root;
    return smaller == __int_as_float(0x7f800000) ? smaller : result;
}
//@ log1pf
__device__ inline float log1pf(float x)
{
    const int exponent = (__float_as_int(__fadd_rz(x, 1.0f)) - 0x3f400000) & (int)0xff800000u;
    const int bits = __float_as_int(x);
    const float fraction = __int_as_float(bits - exponent);
    const float z = __fmaf_rn(0.25f, __int_as_float(0x40800000 - exponent), -1.0f) + fraction;
    float sum = __fmaf_rn(__int_as_float(0xbd39bf78), z, __int_as_float(0x3dd80012));
    sum = __fmaf_rn(sum, z, __int_as_float(0xbe0778e0));
    sum = __fmaf_rn(sum, z, __int_as_float(0x3e146475));
    sum = __fmaf_rn(sum, z, __int_as_float(0xbe2a68dd));
    sum = __fmaf_rn(sum, z, __int_as_float(0x3e4caf9e));
    sum = __fmaf_rn(sum, z, __int_as_float(0xbe800042));
    sum = __fmaf_rn(sum, z, __int_as_float(0x3eaaaae6));
    sum = __fmaf_rn(sum, z, -0.5f);
    const float part = __fmaf_rn(z * sum, z, z);
    float result = __fmaf_rn(__int2float_rn(exponent) * __int_as_float(0x34000000), __int_as_float(0x3f317218), part);
    if ((unsigned)bits >= 0x7f800000u) {
        if (bits >= (int)0xbf800001u)
            result = __fmaf_rn(x, __int_as_float(0x7f800000), __int_as_float(0x7f800000));
        if (x == 0.0f)
            result = -0.0f;
    }
    return result;
}
//@ expm1f
__device__ inline float expm1f(float x)
{
    float k = rintf(x * __int_as_float(0x3fb8aa3b));
    if (fabsf(x) < __int_as_float(0x3ed1eb85))
        k = 0.0f;
    const float rest = __fmaf_rn(-k, __int_as_float(0x35bfbe8e), __fmaf_rn(-k, __int_as_float(0x3f317200), x));
    const bool is_last = k == 128.0f;
    const float exponent = is_last ? k + -1.0f : k;
    float sum = __fmaf_rn(__int_as_float(0x3ab5ebe6), rest, __int_as_float(0x3c095663));
    sum = __fmaf_rn(sum, rest, __int_as_float(0x3d2aabe3));
    sum = __fmaf_rn(sum, rest, __int_as_float(0x3e2aa9f6));
    sum = __fmaf_rn(sum, rest, __int_as_float(0x3efffffe));
    sum = __fmaf_rn(rest * sum, rest, rest);
    const float power = exp2f(exponent);
    float result = __fmaf_rn(sum, power, power + -1.0f);
    if (is_last)
        result = result + result;
    if (exponent > 128.0f)
        result = __int_as_float(0x7f800000);
    if (exponent < -25.0f)
        result = -1.0f;
    return x == 0.0f ? x + x : result;
}
//@ fmodf
__device__ inline float fmodf(float x, float y)
{
    const float divisor = fabsf(y);
    float rest = fabsf(x);
    if (!(rest < divisor)) {
        const float bound = divisor * 8388608.0f;
        if (rest <= bound) {
            float quotient = truncf(__fdividef(rest, divisor));
            const float left = __fmaf_rn(-divisor, quotient, rest);
            if (__float_as_uint(left) >= __float_as_uint(divisor)) {
                if (__float_as_uint(left) > 0x80000000u) {
                    quotient = quotient + -1.0f;
                    if (left < -divisor)
                        quotient = quotient + -1.0f;
                } else {
                    quotient = quotient + 1.0f;
                    if (left >= (divisor + divisor)) {
                        quotient = quotient + 1.0f;
                        if (__fmaf_rn(-3.0f, divisor, left) >= 0.0f)
                            quotient = quotient + 1.0f;
                    }
                }
            }
            rest = __fmaf_rn(-divisor, quotient, rest);
        } else {
            const unsigned bits = __float_as_uint(rest), bound_bits = __float_as_uint(bound);
            unsigned now = (bits & 0x007fffffu) | 0x3f800000u;
            unsigned steps = (bits - ((bound_bits - 0x0b800000u) & 0xff800000u)) & 0xff800000u;
            float part = __uint_as_float(now);
            const float unit = __uint_as_float((bound_bits & 0x007fffffu) | 0x3f800000u);
            const float inverse = __rcp_ftz(unit);
            while (steps != 0 && now != 0) {
                const unsigned step = min(steps, 0x0b800000u);
                const float from = __uint_as_float(step + now);
                float quotient = from * inverse;
                quotient = __fmaf_rn(__fmaf_rn(-unit, quotient, from), inverse, quotient);
                quotient = truncf(__fmaf_rz(__fmaf_rn(-unit, quotient, from), inverse, quotient));
                part = __fmaf_rn(-unit, quotient, from);
                steps -= step;
                now = __float_as_uint(part);
            }
            const bool is_none = divisor <= 0.0f || !(divisor == divisor) || bits > 0x7f7fffffu;
            rest = (is_none ? __int_as_float(0x7fffffff) : __uint_as_float(bound_bits & 0xff800000u)) * (part * __int_as_float(0x34000000));
        }
    }
    return fabsf(rest) <= __int_as_float(0x7f800000) ? copysignf(rest, x) : rest;
}
