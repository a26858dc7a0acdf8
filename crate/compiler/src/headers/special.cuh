// Functions of `float` that are written seldom: error functions, gamma, Bessel, inverse hyperbolic ones, norms, parts of numbers.
// Steps and coefficients are those of NVRTC's PTX; sections are as in math.cuh.
//@ acoshf: log1pf
__device__ inline float acoshf(float x)
{
    const float less = x - 1.0f, square = fmaf(x, x, -1.0f);
    const bool is_large = (unsigned)__float_as_int(less) > 0x4b000000u;
    const float inverse = __rsqrt_ftz(square), root = square * inverse;
    const float better = square == 0.0f ? 0.0f : fmaf(fmaf(-root, root, square), inverse * 0.5f, root);
    const float found = log1pf(less + (is_large ? -1.0000001f : better));
    return is_large ? found + 0.6931472f : found;
}
//@ asinhf: log1pf
__device__ inline float asinhf(float x)
{
    const float size = fabsf(x), square = fmaf(x, x, 1.0f);
    const bool is_large = size > 8388608.0f;
    const float near = fmaf(size, size * __rcp_ftz(fmaf(square, __rsqrt_ftz(square), 1.0f)), size);
    const float less = is_large ? size : near;
    const float found = log1pf(less), result = is_large ? found + 0.6931472f : found;
    return size <= __int_as_float(0x7f800000) ? copysignf(result, x) : result;
}
//@ atanhf: log1pf
__device__ inline float atanhf(float x)
{
    const float size = fabsf(x), inverse = __rcp_ftz(1.0f - size);
    return copysignf(0.5f, x) * log1pf(size > 8.507059e37f ? -2.0f : size * (inverse + inverse));
}
//@ erfcf
__device__ inline float erfcf(float x)
{
    const float size = fabsf(x);
    const float a = __rcp_ftz(size + 4.0f);
    const float b = __fmul_rn(size + -4.0f, a);
    const float c = fmaf(a, fmaf(-b, size, fmaf(-4.0f, b + 1.0f, size)), b);
    const float d = fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(0.0008912171f, c, 0.007045788f), c, -0.015866896f), c, 0.036429625f), c, -0.06664343f), c, 0.09381453f), c, -0.10099056f), c, 0.068094f), c, 0.015377387f), c, -0.13962108f), c, 1.2329952f);
    const float e = __rcp_ftz(fmaf(2.0f, size, 1.0f));
    const float f = __fmul_rn(d, e);
    const float g = size * size;
    const float h = truncf(__fmul_rn(-g, 1.442695f));
    const float bound = copysignf(126.0f, h), k = (fabsf(h) > 126.0f) ? bound : h;
    const float m = __ex2_ftz(fmaf(k, 1.9046542e-9f, fmaf(k, -0.6931472f, -g)) * 1.442695f) * __int_as_float(__float_as_int(k + 12583039.0f) << 23);
    const float n = fmaf(fmaf(size, f * -2.0f, d) - f, e, f) * fmaf(m, fmaf(-size, size, g), m);
    const float p = (size > 10.055f) ? 0.0f : n, opposite = 2.0f - p;
    return (x < 0.0f) ? opposite : p;
}
//@ erfcxf
__device__ inline float erfcxf(float x)
{
    float result;
    const float size = fabsf(x);
    if (size < 10.055f) {
        const float a = __rcp_ftz(size + 4.0f);
        const float b = __fmul_rn(size + -4.0f, a);
        const float c = fmaf(a, fmaf(-b, size, fmaf(-4.0f, b + 1.0f, size)), b);
        const float d = fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(0.0008912171f, c, 0.007045788f), c, -0.015866896f), c, 0.036429625f), c, -0.06664343f), c, 0.09381453f), c, -0.10099056f), c, 0.068094f), c, 0.015377387f), c, -0.13962108f), c, 1.2329952f);
        const float e = __rcp_ftz(fmaf(2.0f, size, 1.0f));
        const float f = __fmul_rn(d, e);
        result = fmaf(fmaf(size, f * -2.0f, d) - f, e, f);
    } else {
        const float g = __fdividef(0.25f, size * 0.25f);
        const float h = g * g;
        result = __fmul_rn(g * 0.5641896f, fmaf(fmaf(fmaf(fmaf(6.5625f, h, -1.875f), h, 0.75f), h, -0.5f), h, 1.0f));
    }
    if (x < 0.0f) {
        const float k = __fmul_rz(size, size);
        const float m = __fmaf_rd(__saturatef(fmaf(k, 0.00572498f, 0.5f)), 252.0f, 12582913.0f);
        const float p = __int_as_float(__float_as_int(m) << 23);
        const float q = __ex2_ftz(fmaf(k, 1.925963e-8f, fmaf(k, 1.442695f, -(m + -12583039.0f))));
        const float r = fmaf(q, p, q * p);
        const float s = fmaf(r, fmaf(size, size, -k), r) - result;
        result = (r == __int_as_float(0x7f800000)) ? r : s;
    }
    return result;
}
//@ erfinvf
__device__ inline float erfinvf(float x)
{
    float result;
    const float a = __lg2_ftz(fmaf(x, -x, 1.0f));
    result = fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(-2.5172708e-10f, -a, 9.427429e-9f), -a, -1.2054753e-7f), -a, 2.1697005e-7f), -a, 8.0621485e-6f), -a, -3.1675492e-5f), -a, -0.0007743631f), -a, 0.005546588f), -a, 0.16082023f), -a, 0.8862269f) * x;
    if (a < -8.2f) {
        const float b = __rsqrt_ftz(-a);
        const float c = (b * (-a)) * fmaf(fmaf(fmaf(fmaf(fmaf(-0.5899144f, b, -0.6630042f), b, 1.5970111f), b, -0.67521554f), b, -0.09522479f), b, 0.83535343f);
        result = copysignf((a == __uint_as_float(0xff800000u)) ? (-a) : c, x);
    }
    return result;
}
//@ erfcinvf
__device__ inline float erfcinvf(float x)
{
    float result;
    const float a = 2.0f + (-x);
    if ((x >= 0.0034f) && (x <= 1.9966f)) {
        const float b = -__lg2_ftz(__fmul_rn(a, x));
        const float c = fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(-2.5172708e-10f, b, 9.427429e-9f), b, -1.2054753e-7f), b, 2.1697005e-7f), b, 8.0621485e-6f), b, -3.1675492e-5f), b, -0.0007743631f), b, 0.005546588f), b, 0.16082023f), b, 0.8862269f);
        result = fmaf(c, -x, c);
    } else {
        const bool d = x > 1.0f;
        const float e = __log2f(d ? a : x);
        const float f = __rsqrt_ftz(-e);
        const float g = (e == __uint_as_float(0xff800000u)) ? (-e) : (f * (-e));
        result = __fmul_rn(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(-63.113224f, f, 127.48469f), f, -114.10568f), f, 60.325787f), f, -21.789892f), f, 6.467409f), f, -1.8329474f), f, -0.030327775f), f, 0.83287746f), d ? (-g) : g);
    }
    return result;
}
//@ normcdff: erfcf
__device__ inline float normcdff(float x)
{
    const float bound = copysignf(14.5f, x), z = fabsf(x) > 14.5f ? bound : x;
    const float high = __fmul_rn(z, -0.70710677f), low = fmaf(z, -1.21016175e-8f, fmaf(z, -0.70710677f, -high));
    const float sum = high + low;
    float found = erfcf(sum);
    if (z < -1.0f)
        found = fmaf((sum * -2.0f) * found, (high - sum) + low, found);
    return found * 0.5f;
}
//@ normcdfinvf: erfcinvf
__device__ inline float normcdfinvf(float x) { return fmaf(-1.4142135f, erfcinvf(x + x), 0.0f); }
//@ lgammaf: __sine_of logf
__device__ inline float lgammaf(float x)
{
    const float size = fabsf(x);
    float found;
    if (size >= 7.8f) {
        const float inverse = __rcp_ftz(size), square = inverse * inverse;
        const float halved = __fmul_rn(logf(size) * 0.5f, size - 0.5f);
        const float rest = fmaf(fmaf(fmaf(0.00077783066f, square, -0.0027776554f), square, 0.083333276f), inverse, 0.9189385f);
        found = size == __int_as_float(0x7f800000) ? size : (halved - size) + (halved + rest);
    } else if (size >= 3.0f) {
        const float z = size - 3.0f;
        const float above = fmaf(fmaf(fmaf(fmaf(-748.8903f, z, -12349.742f), z, -41061.375f), z, -48310.664f), z, -143033.4f);
        const float below = fmaf(fmaf(fmaf(z - 259.25098f, z, -10777.18f), z, -92685.05f), z, -206353.58f);
        found = fmaf(above, __rcp_ftz(below), z);
    } else if (size >= 1.5f) {
        const float z = size - 2.0f;
        found = z * fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(4.9598493e-5f, z, -0.00022089484f), z, 0.00054131425f), z, -0.001204517f), z, 0.0028842518f), z, -0.007382758f), z, 0.02058132f), z, -0.06735249f), z, 0.32246703f), z, 0.42278433f);
    } else if (size >= 0.7f) {
        const float z = 1.0f - size;
        found = z * fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(0.045882665f, z, 0.10373967f), z, 0.122803636f), z, 0.12752421f), z, 0.14321668f), z, 0.16934358f), z, 0.20740794f), z, 0.2705875f), z, 0.40068543f), z, 0.82246697f), z, 0.5772157f);
    } else {
        found = -logf(fmaf(size * fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(0.0035875156f, size, -0.0054712854f), size, -0.044627126f), size, 0.1673177f), size, -0.04213598f), size, -0.6558673f), size, 0.5772154f), size, size));
    }
    if (x >= 0.0f)
        return found;
    // Of a negative number by reflection.
    if (size == floorf(size))
        return __int_as_float(0x7f800000);
    if (size < 1e-19f)
        return -logf(size);
    const float k = rintf(size + size);
    const float sine = __sine_of(fmaf(-k, 0.5f, size) * 3.1415927f, __float2int_rz(k));
    return fmaf(1.1447299f - logf(size * fabsf(sine)), 1.0f, -found);
}
//@ tgammaf
__device__ inline float tgammaf(float x)
{
    float t1, result, t2;
    const float size = fabsf(x);
    if (!(size >= 1.5f)) {
        t1 = x;
        if (x != 0.0f)
            t1 = x - rintf(x);
        const float t3 = (x < -0.5f) ? x : 1.0f;
        const float t4 = (x <= 0.5f) ? (t3 * t1) : t3;
        result = __fdividef(1.0f, fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(-0.0010728657f, t1, 0.0071110534f), t1, -0.009643719f), t1, -0.042180188f), t1, 0.1665409f), t1, -0.04200365f), t1, -0.6558782f), t1, 0.5772157f), t4, 0.0f), t1, t4));
        if (x < 0.0f) {
            const float t5 = result;
            result = __int_as_float(0x7fffffff);
            if (truncf(x) != x) {
                result = t5;
                if (x < -41.1f)
                    result = ((__float2int_rz(x) & 1) == 1) ? 0.0f : t5;
            }
        }
    } else {
        const bool t6 = x < 0.0f;
        const float t7 = (size > 41.1f) ? 41.1f : x;
        const float t8 = fabsf(t7);
        const bool t9 = t8 < 1.1754944e-38f;
        const int t10 = __float_as_int(t9 ? (t8 * 16777216.0f) : t8);
        const int t11 = (t10 - 0x3f3504f3) & (int)0xff800000u;
        const float t12 = __int_as_float(t10 - t11);
        const float t13 = fmaf(__int2float_rn(t11), 1.1920929e-7f, t9 ? -24.0f : 0.0f);
        const float t14 = t12 + -1.0f;
        const float t15 = __rcp_ftz(t12 + 1.0f);
        const float t16 = __fmul_rn(t14 + t14, t15);
        const float t17 = t16 * t16;
        const float t18 = t14 - t16;
        const float t19 = fmaf(t16, 1.442695f, t13);
        const float t20 = fmaf(__fmul_rn(fmaf(fmaf(fmaf(0.00065688626f, t17, 0.0032181654f), t17, 0.018033719f), t17, 0.12022459f), t17), t16, fmaf(t16, 1.9251367e-8f, fmaf(__fmul_rn(t15, fmaf(-t16, t14, t18 + t18)), 1.442695f, fmaf(t16, 1.442695f, t13 - t19))));
        const float t21 = t19 + t20;
        const float t22 = t8 + -0.5f;
        const float t23 = __fmul_rn(t21, t22);
        const float t24 = __fmul_rn(1.442695f, t8);
        const float t25 = t23 + (-t24);
        const float t26 = -(t25 + t24);
        const float t27 = (fmaf(t20 + (-(t21 + (-t19))), t22, fmaf(t21, t22, -t23)) - fmaf(1.925963e-8f, t8, fmaf(1.442695f, t8, -t24))) + ((t23 + t26) + ((-t24) + (-(t25 + t26))));
        const bool t28 = t8 > 33.0f;
        const float t29 = t6 ? ((t28 ? 48.0f : -0.0f) - t25) : t25;
        const float t30 = rintf(t29);
        const float t31 = (t29 - t30) + (t6 ? (-t27) : t27);
        const int t32 = (t30 > 0.0f) ? 0 : (int)0x83000000u;
        const float t33 = ((fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(0.00015239252f, t31, 0.0013391353f), t31, 0.009618839f), t31, 0.05550359f), t31, 0.24022645f), t31, 0.6931472f), t31, 1.0f) * __int_as_float(t32 + 0x7f000000)) * __int_as_float((__float2int_rz(t30) << 23) - t32)) * 2.5066283f;
        const float t34 = __rcp_ftz(t8);
        const float t35 = t34 * fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(6.8413916e-5f, t34, -5.0603267e-5f), t34, -0.00042276637f), t34, 0.0009921414f), t34, -0.00027855477f), t34, -0.002674901f), t34, 0.0034718034f), t34, 0.08333334f);
        if (t6) {
            const float t36 = fmaf(t35, t7, t7);
            const float t37 = rintf(t8 + t8);
            const int t38 = __float2int_rz(t37);
            const float t39 = fmaf(t37, -0.5f, t8);
            const float t40 = __fmul_rn(t39, t39);
            const bool t41 = (t38 & 1) == 0;
            t2 = -0.59248024f;
            if (!t41)
                t2 = fmaf(0.22686031f, t40, -1.3345604f);
            const float t42 = fmaf(fmaf(fmaf(t2, t40, t41 ? 2.5501442f : 4.0586925f), t40, t41 ? -5.16772f : -4.934802f), fmaf(t40, t41 ? t39 : 1.0f, 0.0f), t41 ? 0.0f : 1.0f);
            const float t43 = t41 ? fmaf(3.1415927f, t39, t42) : t42;
            const float t44 = ((t38 & 2) == 0) ? t43 : (0.0f - t43);
            const float t45 = __fmul_rn(t36, t44);
            const float t46 = __fdividef(1.0f, t45);
            const float t47 = fmaf(t33, t46, -(t33 * (fmaf(t36, t44, -t45) * (t46 * t46)))) * 0.5f;
            result = t28 ? (t47 * 3.5527137e-15f) : t47;
            const float t5 = result;
            result = __int_as_float(0x7fffffff);
            if (truncf(x) != x) {
                result = t5;
                if (x < -41.1f)
                    result = ((__float2int_rz(x) & 1) == 1) ? 0.0f : t5;
            }
        } else {
            result = fmaf(t35, t33, t33);
        }
    }
    return result;
}
//@ rcbrtf
__device__ inline float rcbrtf(float x)
{
    const float size = fabsf(x);
    const float a = __ex2_ftz(__log2f(size) * -0.33333334f);
    const float b = fmaf(fmaf(a * a, -(size * a), 1.0f), a * 0.33333334f, a);
    const float c = x + x;
    const float turned = __int_as_float(__float_as_int(c) ^ 0x7f800000), with_sign = (x < 0.0f) ? (-b) : b;
    return (c == x) ? turned : with_sign;
}
//@ logbf
__device__ inline float logbf(float x)
{
    float result;
    const int a = __float_as_int(fabsf(x));
    if ((unsigned)a < 0x800000u) {
        const float b = __int2float_rn((-118) - __clz(a));
        result = (x == 0.0f) ? __uint_as_float(0xff800000u) : b;
    } else {
        const float b = __int2float_rn(((int)((unsigned)a >> 23)) + -127);
        result = ((unsigned)a > 0x7f7fffffu) ? (x * x) : b;
    }
    return result;
}
//@ cyl_bessel_i0f
__device__ inline float cyl_bessel_i0f(float x)
{
    float result;
    const float size = fabsf(x);
    if ((size >= 9.0f) && (size < __int_as_float(0x7f800000))) {
        const float a = __rcp_ftz(size);
        const float b = __fmul_rn(fmaf(fmaf(fmaf(fmaf(fmaf(0.34872168f, a, -0.0054563344f), a, 0.033347156f), a, 0.027889196f), a, 0.04987063f), a, 0.39894226f), __rsqrt_ftz(size));
        const float c = __fmul_rn(size, 0.5f);
        const float nearest = rintf(c * 1.442695f);
        const float d = (fabsf(c) < 0.41f) ? 0.0f : nearest;
        const float e = fmaf(-d, 1.4286068e-6f, fmaf(-d, 0.69314575f, c));
        const bool f = d == 128.0f;
        const float g = f ? (d + -1.0f) : d;
        const float h = exp2f(g);
        const float k = fmaf(fmaf(e * fmaf(fmaf(fmaf(fmaf(0.0013879507f, e, 0.008382413f), e, 0.04166783f), e, 0.16666397f), e, 0.49999994f), e, e), h, h + -1.0f);
        const float m = (c == 0.0f) ? (c + c) : ((g < -25.0f) ? -1.0f : ((g > 128.0f) ? __int_as_float(0x7f800000) : (f ? (k + k) : k)));
        result = __fmul_rn(__fmul_rn(b, m), m + 2.0f) + b;
    } else {
        const float p = size * size;
        result = fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(1.551427e-19f, p, 1.4492505e-17f), p, 1.0687647e-14f), p, 2.3349575e-12f), p, 4.7306625e-10f), p, 6.7778004e-8f), p, 6.7820783e-6f), p, 0.00043402583f), p, 0.015625004f), p, 0.25f), p, 1.0f);
    }
    return result;
}
//@ cyl_bessel_i1f
__device__ inline float cyl_bessel_i1f(float x)
{
    float result;
    const float size = fabsf(x);
    if ((size >= 8.085f) && (size < __int_as_float(0x7f800000))) {
        const float a = __rcp_ftz(size);
        const float b = __fmul_rn(fmaf(fmaf(fmaf(fmaf(fmaf(-0.5028813f, a, 0.028471556f), a, -0.04873671f), a, -0.04641596f), a, -0.14960973f), a, 0.39894232f), __rsqrt_ftz(size));
        const float c = __fmul_rn(size, 0.5f);
        const float nearest = rintf(c * 1.442695f);
        const float d = (fabsf(c) < 0.41f) ? 0.0f : nearest;
        const float e = fmaf(-d, 1.4286068e-6f, fmaf(-d, 0.69314575f, c));
        const bool f = d == 128.0f;
        const float g = f ? (d + -1.0f) : d;
        const float h = exp2f(g);
        const float k = fmaf(fmaf(e * fmaf(fmaf(fmaf(fmaf(0.0013879507f, e, 0.008382413f), e, 0.04166783f), e, 0.16666397f), e, 0.49999994f), e, e), h, h + -1.0f);
        const float m = (c == 0.0f) ? (c + c) : ((g < -25.0f) ? -1.0f : ((g > 128.0f) ? __int_as_float(0x7f800000) : (f ? (k + k) : k)));
        result = copysignf(__fmul_rn(__fmul_rn(b, m), m + 2.0f) + b, x);
    } else {
        const float square = x * x;
        result = fmaf(x, square * fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(2.7848253e-18f, square, 3.4224708e-16f), square, 1.6258002e-13f), square, 3.3142173e-11f), square, 5.6632734e-9f), square, 6.780027e-7f), square, 5.425474e-5f), square, 0.002604162f), square, 0.06250001f), x * 0.5f);
    }
    return result;
}
//@ sinpif
__device__ inline float sinpif(float x)
{
    float a, result;
    const float b = rintf(x + x);
    const int c = __float2int_rz(b);
    const float d = fmaf(-b, 0.5f, x);
    const float e = __fmul_rn(d, d);
    const bool f = (c & 1) == 0;
    a = -0.59248024f;
    if (!f)
        a = fmaf(0.22686031f, e, -1.3345604f);
    const float g = fmaf(fmaf(fmaf(a, e, f ? 2.5501442f : 4.0586925f), e, f ? -5.16772f : -4.934802f), fmaf(e, f ? d : 1.0f, 0.0f), f ? 0.0f : 1.0f);
    const float h = f ? fmaf(3.1415927f, d, g) : g;
    result = ((c & 2) == 0) ? h : (0.0f - h);
    if (truncf(x) == x)
        result = __fmul_rn(x, 0.0f);
    return result;
}
//@ cospif
__device__ inline float cospif(float x)
{
    float a;
    if (fabsf(x) > 16777216.0f)
        x = __fmul_rn(x, 0.0f);
    const float b = rintf(x + x);
    const float c = fmaf(-b, 0.5f, x);
    const int d = __float2int_rz(b) + 1;
    const float e = __fmul_rn(c, c);
    const bool f = (d & 1) == 0;
    a = -0.59248024f;
    if (!f)
        a = fmaf(0.22686031f, e, -1.3345604f);
    const float g = fmaf(fmaf(fmaf(a, e, f ? 2.5501442f : 4.0586925f), e, f ? -5.16772f : -4.934802f), fmaf(e, f ? c : 1.0f, 0.0f), f ? 0.0f : 1.0f);
    const float h = f ? fmaf(3.1415927f, c, g) : g;
    return ((d & 2) == 0) ? h : (0.0f - h);
}
//@ ilogbf
__device__ inline int ilogbf(float x)
{
    int result;
    const int a = __float_as_int(fabsf(x));
    if ((unsigned)a < 0x800000u) {
        result = (a == 0) ? (int)0x80000000u : ((-118) - __clz(a));
    } else {
        result = ((unsigned)a > 0x7f800000u) ? (int)0x80000000u : ((a == 0x7f800000) ? 0x7fffffff : (((int)((unsigned)a >> 23)) + -127));
    }
    return result;
}
//@ nextafterf
__device__ inline float nextafterf(float x, float y)
{
    const int bits = __float_as_int(x);
    if ((!(fabsf(x) <= __int_as_float(0x7f800000))) || (!(fabsf(y) <= __int_as_float(0x7f800000)))) {
        y = x + y;
    } else {
        if (!(__int_as_float(__float_as_int(y) | bits) == 0.0f)) {
            if (x == 0.0f) {
                y = copysignf(1e-45f, y);
            } else {
                const bool a = x < y;
                const bool b = x < 0.0f;
                const bool c = x > 0.0f;
                const bool d = x > y;
                y = __int_as_float((((((b && a) ? -1 : 0) + bits) + ((c && a) ? 1 : 0)) + ((b && d) ? 1 : 0)) + ((c && d) ? -1 : 0));
            }
        }
    }
    return y;
}
//@ remquof
__device__ inline float remquof(float x, float y, int* quotient)
{
    float result, t1, t2;
    int t3, t4, t5, t6;
    bool t7;
    const int bits = __float_as_int(x);
    result = fabsf(x);
    const float t8 = fabsf(y);
    t3 = 0;
    if (!(result < t8)) {
        const float t9 = t8 * 8388608.0f;
        if (!(result <= t9)) {
            const int t10 = __float_as_int(result);
            const int t11 = __float_as_int(t9);
            t4 = (t10 & 0x007fffff) | 0x3f800000;
            t1 = __int_as_float(t4);
            const int t12 = (t10 - ((t11 - 0x0b800000) & (int)0xff800000u)) & (int)0xff800000u;
            t5 = 0;
            t6 = t5;
            if (t12 != 0) {
                const float t13 = __int_as_float((t11 & 0x007fffff) | 0x3f800000);
                const float t14 = __rcp_ftz(t13);
                t5 = 0;
                t6 = t12;
                do {
                    const int t15 = (int)min((unsigned)t6, 0xb800000u);
                    const int t16 = t15 + t4;
                    const float t17 = __int_as_float(t16);
                    const float t18 = fmaf(t17, t14, -0.0f);
                    const float t19 = fmaf(fmaf(-t13, t18, t17), t14, t18);
                    const float t20 = truncf(__fmaf_rz(fmaf(-t13, t19, t17), t14, t19));
                    t1 = fmaf(-t13, t20, t17);
                    t6 = t6 - t15;
                    t4 = __float_as_int(t1);
                    const int t21 = t5 << ((int)((unsigned)t15 >> 23));
                    t5 = t21 + __float2uint_rz(t20);
                    t7 = (t6 != 0) && (t4 != 0);
                } while (t7);
            }
            t3 = t5 << (((unsigned)t6 < 0x2000000u) ? ((int)((unsigned)t6 >> 23)) : 3);
            result = __fmul_rn(((!(t8 > 0.0f)) || ((unsigned)t10 > 0x7f7fffffu)) ? __int_as_float(0x7fffffff) : __int_as_float(t11 & (int)0xff800000u), t1 * 1.1920929e-7f);
        } else {
            t2 = truncf(__fdividef(result, t8));
            const float t22 = fmaf(-t8, t2, result);
            const int t23 = __float_as_int(t22);
            if (!((unsigned)t23 < (unsigned)__float_as_int(t8))) {
                if ((unsigned)t23 > 0x80000000u) {
                    const float t24 = t2 + -1.0f;
                    t2 = (t22 < (-t8)) ? (t24 + -1.0f) : t24;
                } else {
                    t2 = t2 + 1.0f;
                    if (t22 >= (t8 + t8)) {
                        const float t25 = t2 + 1.0f;
                        t2 = (fmaf(-3.0f, t8, t22) >= 0.0f) ? (t25 + 1.0f) : t25;
                    }
                }
            }
            t3 = __float2uint_rz(t2);
            result = fmaf(-t8, t2, result);
        }
    }
    const float t26 = result + result;
    if ((t26 > t8) || (!((!((t3 & 1) == 1)) || (t26 != t8)))) {
        t3 = t3 + 1;
        result = result - t8;
    }
    if (bits <= -1) {
        const float t27 = fabsf(result);
        const float t28 = -result;
        result = (t27 <= __int_as_float(0x7f800000)) ? t28 : result;
    }
    const int t29 = (__float_as_int(y) ^ bits) >> 31;
    *quotient = (!(fabsf(result) <= __int_as_float(0x7f800000))) ? 0 : (((t3 & 7) ^ t29) - t29);
    return result;
}
//@ remainderf: remquof
__device__ inline float remainderf(float x, float y)
{
    int quotient;
    return remquof(x, y, &quotient);
}
//@ rhypotf
__device__ inline float rhypotf(float x, float y)
{
    const int a = __float_as_int(fabsf(y));
    const int b = __float_as_int(fabsf(x));
    const float c = __int_as_float(min(a, b));
    const int d = max(a, b);
    const float e = __int_as_float(0x7e800000 - (d & (int)0xfe000000u));
    const float f = c * e;
    const float g = __int_as_float(d) * e;
    return (c == __int_as_float(0x7f800000)) ? 0.0f : (rsqrtf(fmaf(g, g, f * f)) * e);
}
//@ __norm_parts
// The largest of some sizes, what makes it about 1, and the sum of the squares of the others made smaller by that.
__device__ inline float __norm_parts(int n, const float* x, float* largest, float* scale)
{
    float most = fabsf(x[0]);
    for (int i = 1; i < n; i++)
        most = fmaxf(fabsf(x[i]), most);
    const float by = __int_as_float(0x7e800000 - (__float_as_int(most) & (int)0xfe000000u)), top = most * by;
    float sum = 0.0f;
    bool is_skipped = false;
    for (int i = 0; i < n; i++) {
        const float v = fabsf(x[i]) * by;
        if (v == top && !is_skipped)
            is_skipped = true;
        else
            sum = __fmaf_rn(v, v, sum);
    }
    *largest = most;
    *scale = by;
    return sum;
}
//@ normf: __norm_parts
__device__ inline float normf(int n, const float* x)
{
    float most, by;
    const float sum = __norm_parts(n, x, &most, &by), top = most * by;
    if (most == __int_as_float(0x7f800000) || sum == 0.0f)
        return most;
    return sqrtf(__fmaf_rn(top, top, sum)) * __int_as_float((__float_as_int(most) & (int)0xfe000000u) + 0x00800000);
}
//@ rnormf: __norm_parts
__device__ inline float rnormf(int n, const float* x)
{
    float most, by;
    const float sum = __norm_parts(n, x, &most, &by), top = most * by;
    return most == __int_as_float(0x7f800000) ? 0.0f : rsqrtf(__fmaf_rn(top, top, sum)) * by;
}
//@ norm3df
__device__ inline float norm3df(float x, float y, float z)
{
    const float size = fabsf(x);
    const float a = fabsf(y);
    const float b = fabsf(z);
    const float c = (size + a) + b;
    const float d = fmaxf(size, a);
    const float e = fmaxf(d, b);
    const int f = __float_as_int(e) & (int)0xfe000000u;
    const float g = __int_as_float(0x7e800000 - f);
    const float h = fminf(d, b) * g;
    const float k = fminf(size, a) * g;
    const float m = e * g;
    const float root = sqrtf(fmaf(m, m, fmaf(k, k, h * h)));
    return (e == __int_as_float(0x7f800000)) ? __int_as_float(0x7f800000) : ((c > e) ? (root * __int_as_float(f | 0x00800000)) : c);
}
//@ rnorm3df
__device__ inline float rnorm3df(float x, float y, float z)
{
    const float size = fabsf(x);
    const float a = fabsf(y);
    const float b = fabsf(z);
    const float c = (size + a) + b;
    const float d = fmaxf(size, a);
    const float e = fmaxf(d, b);
    const float f = __int_as_float(0x7e800000 - (__float_as_int(e) & (int)0xfe000000u));
    const float g = fminf(d, b) * f;
    const float h = fminf(size, a) * f;
    const float k = e * f;
    const float root = rsqrtf(fmaf(k, k, fmaf(h, h, g * g)));
    const bool is_number = fabsf(c) <= __int_as_float(0x7f800000);
    return (e == __int_as_float(0x7f800000)) ? 0.0f : (is_number ? (root * f) : c);
}
//@ norm4df
__device__ inline float norm4df(float x, float y, float z, float w)
{
    const float size = fabsf(x);
    const float a = fabsf(y);
    const float b = fabsf(z);
    const float c = fabsf(w);
    const float d = b + ((size + a) + c);
    const float e = fmaxf(size, a);
    const float f = fmaxf(e, b);
    const float g = fmaxf(f, c);
    const int h = __float_as_int(g) & (int)0xfe000000u;
    const float k = __int_as_float(0x7e800000 - h);
    const float m = fminf(f, c) * k;
    const float p = fminf(e, b) * k;
    const float q = fminf(size, a) * k;
    const float r = g * k;
    const float root = sqrtf(fmaf(r, r, fmaf(q, q, fmaf(p, p, m * m))));
    return (g == __int_as_float(0x7f800000)) ? __int_as_float(0x7f800000) : ((d > g) ? (root * __int_as_float(h | 0x00800000)) : d);
}
//@ rnorm4df
__device__ inline float rnorm4df(float x, float y, float z, float w)
{
    const float size = fabsf(x);
    const float a = fabsf(y);
    const float b = fabsf(z);
    const float c = fabsf(w);
    const float d = b + ((size + a) + c);
    const float e = fmaxf(size, a);
    const float f = fmaxf(e, b);
    const float g = fmaxf(f, c);
    const float h = __int_as_float(0x7e800000 - (__float_as_int(g) & (int)0xfe000000u));
    const float k = fminf(f, c) * h;
    const float m = fminf(e, b) * h;
    const float p = fminf(size, a) * h;
    const float q = g * h;
    return (g == __int_as_float(0x7f800000)) ? 0.0f : ((!(fabsf(d) <= __int_as_float(0x7f800000))) ? d : (rsqrtf(fmaf(q, q, fmaf(p, p, fmaf(m, m, k * k)))) * h));
}
//@ ldexpf
__device__ inline float ldexpf(float x, int n)
{
    const int a = max(min(n, 278), -278);
    const int b = a + 508;
    const int c = (int)((unsigned)b >> 2);
    const bool d = abs(a) < 101;
    const float e = __int_as_float(d ? 0x3f800000 : (c << 23));
    return __fmul_rn(__fmul_rn(__fmul_rn(__fmul_rn(x, __int_as_float((d ? (a + 127) : (c * (-3) + b)) << 23)), e), e), e);
}
//@ scalbnf: ldexpf
__device__ inline float scalbnf(float x, int n) { return ldexpf(x, n); }
//@ scalblnf: ldexpf
__device__ inline float scalblnf(float x, long n) { return ldexpf(x, (int)min(max(n, -2147483647l), 2147483647l)); }
//@ frexpf
__device__ inline float frexpf(float x, int* to)
{
    float result;
    int a;
    const float size = fabsf(x);
    const bool b = size < 1.1754944e-38f;
    const float c = b ? (x * 16777216.0f) : x;
    const int d = __float_as_int(c);
    const int e = ((int)((unsigned)d >> 23)) & 255;
    if ((size == 0.0f) || (e == 255)) {
        result = c + c;
        a = 0;
    } else {
        a = (b ? -150 : -126) + e;
        result = __int_as_float((d & (int)0x807fffffu) | 0x3f000000);
    }
    *to = a;
    return result;
}
//@ modff
__device__ inline float modff(float x, float* to)
{
    const float a = truncf(x);
    *to = a;
    return (a == x) ? __int_as_float(__float_as_int(x) & (int)0x80000000u) : (x - a);
}
//@ sincospif
__device__ inline void sincospif(float x, float* sine, float* cosine)
{
    float a, b;
    const float c = rintf(x + x);
    const int d = __float2int_rz(c);
    const float e = fmaf(-c, 0.5f, x);
    const float f = __fmul_rn(e, e);
    const float g = fmaf(fmaf(fmaf(fmaf(0.22686031f, f, -1.3345604f), f, 4.0586925f), f, -4.934802f), f, 1.0f);
    const float h = fmaf(3.1415927f, e, fmaf(fmaf(fmaf(-0.59248024f, f, 2.5501442f), f, -5.16772f), fmaf(f, e, 0.0f), 0.0f));
    const bool k = (d & 1) == 1;
    const float m = k ? g : h;
    a = k ? h : g;
    b = ((d & 2) == 0) ? m : (-m);
    if (!(((d + 1) & 2) == 0))
        a = fmaf(a, -1.0f, 0.0f);
    if (truncf(x) == x)
        b = __fmul_rn(x, 0.0f);
    if (fabsf(x) > 16777216.0f)
        a = b + 1.0f;
    *sine = b;
    *cosine = a;
}
//@ llroundf
__device__ inline long long llroundf(float x)
{
    long long result, a, b;
    const int bits = __float_as_int(x);
    const long long c = (long long)0x8000000000000000ull;
    result = c;
    if (fabsf(x) <= __int_as_float(0x7f800000)) {
        result = 0x7fffffffffffffffll;
        if (!(x >= 9.223372e18f)) {
            result = c;
            if (!(x <= -9.223372e18f)) {
                const int d = 189 - (((int)((unsigned)bits >> 23)) & 255);
                a = (((long long)(unsigned)((int)((unsigned)(bits << 8) >> 1))) << 32) | 0x4000000000000000ll;
                b = 0;
                if (d <= 63) {
                    const long long e = a << (64 - d);
                    b = (long long)((unsigned long long)a >> d);
                    a = (d == 0) ? 0 : e;
                }
                const long long f = ((long long)((unsigned long long)a >> 63)) + b;
                result = (bits < 0) ? (-f) : f;
            }
        }
    }
    return result;
}
//@ fdimf
__device__ inline float fdimf(float x, float y)
{
    return (x <= y) ? 0.0f : (x - y);
}
//@ __frsqrt_rn
__device__ inline float __frsqrt_rn(float x)
{
    float result;
    const bool a = fabsf(x) < 1.1754944e-38f;
    const float b = a ? (x * 16777216.0f) : x;
    const int c = __float_as_int(b);
    if ((unsigned)(c - 0x00800000) < 0x7f000000u) {
        const int d = (c & 0x00ffffff) | 0x3f000000;
        const float e = __int_as_float(d);
        const int f = d - c;
        const float g = __rsqrt_ftz(e);
        const float h = g * g;
        const float k = fmaf(fmaf(g, g, -h), -e, fmaf(h, -e, 1.0f));
        result = __int_as_float(((a ? (f + 0x0c000000) : f) >> 1) + __float_as_int(fmaf(fmaf(0.375f, k, 0.5f), g * k, g)));
    } else {
        result = __rsqrt_ftz(b);
    }
    return result;
}
//@ lroundf: llroundf
__device__ inline long lroundf(float x) { return llroundf(x); }
//@ __powif
__device__ inline float __powif(float x, int n)
{
    unsigned left = abs(n);
    float power = (left & 1) != 0 ? x : 1.0f;
    for (left >>= 1; left != 0; left >>= 1) {
        x = __fmul_rn(x, x);
        if ((left & 1) != 0)
            power = __fmul_rn(power, x);
    }
    return n < 0 ? 1.0f / power : power;
}
