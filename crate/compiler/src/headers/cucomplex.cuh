// cuComplex.h: complex numbers as pairs, and functions for what C has operators for.
typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
__device__ constexpr float cuCrealf(float2 a) { return a.x; }
__device__ constexpr float cuCimagf(float2 a) { return a.y; }
__device__ constexpr double cuCreal(double2 a) { return a.x; }
__device__ constexpr double cuCimag(double2 a) { return a.y; }
__device__ inline float2 make_cuFloatComplex(float re, float im) { float2 made; made.x = re; made.y = im; return made; }
__device__ inline float2 make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
__device__ inline double2 make_cuDoubleComplex(double re, double im) { double2 made; made.x = re; made.y = im; return made; }
__device__ inline double2 cuComplexFloatToDouble(float2 a) { return make_cuDoubleComplex((double)a.x, (double)a.y); }
__device__ inline float2 cuComplexDoubleToFloat(double2 a) { return make_cuFloatComplex((float)a.x, (float)a.y); }
__device__ inline float2 cuConjf(float2 a) { return make_cuFloatComplex(a.x, -a.y); }
__device__ inline float2 cuCaddf(float2 a, float2 b) { return make_cuFloatComplex(a.x + b.x, a.y + b.y); }
__device__ inline float2 cuCsubf(float2 a, float2 b) { return make_cuFloatComplex(a.x - b.x, a.y - b.y); }
__device__ inline float2 cuCmulf(float2 a, float2 b) { return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ inline double2 cuConj(double2 a) { return make_cuDoubleComplex(a.x, -a.y); }
__device__ inline double2 cuCadd(double2 a, double2 b) { return make_cuDoubleComplex(a.x + b.x, a.y + b.y); }
__device__ inline double2 cuCsub(double2 a, double2 b) { return make_cuDoubleComplex(a.x - b.x, a.y - b.y); }
__device__ inline double2 cuCmul(double2 a, double2 b) { return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
// Both are scaled by the sum of the divisor's parts, so that their squares stay in range.
__device__ inline float2 cuCdivf(float2 a, float2 b)
{
    const float scale = 1.0f / (fabsf(b.x) + fabsf(b.y));
    const float ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;
    const float by = 1.0f / (br * br + bi * bi);
    return make_cuFloatComplex((ar * br + ai * bi) * by, (ai * br - ar * bi) * by);
}
__device__ inline double2 cuCdiv(double2 a, double2 b)
{
    const double scale = 1.0 / (fabs(b.x) + fabs(b.y));
    const double ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;
    const double by = 1.0 / (br * br + bi * bi);
    return make_cuDoubleComplex((ar * br + ai * bi) * by, (ai * br - ar * bi) * by);
}
__device__ inline float cuCabsf(float2 a)
{
    const float re = fabsf(a.x), im = fabsf(a.y);
    const float large = re > im ? re : im, small = re > im ? im : re;
    const float ratio = small / large;
    const float length = large * sqrtf(1.0f + ratio * ratio);
    return large == 0.0f || large > 3.402823466e38f || small > 3.402823466e38f ? large + small : length;
}
__device__ inline double cuCabs(double2 a)
{
    const double re = fabs(a.x), im = fabs(a.y);
    const double large = re > im ? re : im, small = re > im ? im : re;
    const double ratio = small / large;
    const double length = large * sqrt(1.0 + ratio * ratio);
    return large == 0.0 || large > 1.79769313486231570e+308 || small > 1.79769313486231570e+308 ? large + small : length;
}
__device__ inline float2 cuCfmaf(float2 a, float2 b, float2 c)
{
    const float re = a.x * b.x + c.x, im = a.x * b.y + c.y;
    return make_cuFloatComplex(-(a.y * b.y) + re, a.y * b.x + im);
}
__device__ inline double2 cuCfma(double2 a, double2 b, double2 c)
{
    const double re = a.x * b.x + c.x, im = a.x * b.y + c.y;
    return make_cuDoubleComplex(-(a.y * b.y) + re, a.y * b.x + im);
}
