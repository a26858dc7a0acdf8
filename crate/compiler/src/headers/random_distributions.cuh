// Distributions of random numbers, in sections as in math.cuh: uniform, normal by Box and Muller, Poisson by Knuth and by rejection.
//@ __uniform_of
// From 2^-33 to 1, and from 2^-54 on with the bits of two words.
__device__ inline float __uniform_of(unsigned x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__device__ inline double __uniform_of(unsigned x, unsigned y)
{
    return ((unsigned long long)x ^ (unsigned long long)y << 21) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
//@ curand_uniform: curand __uniform_of
template <typename State> __device__ inline float curand_uniform(State* state) { return __uniform_of(curand(state)); }
__device__ inline float curand_uniform(curandStateMRG32k3a* state) { return (float)(__mrg32k3a(state) * 2.3283065498378288e-10); }
//@ curand_uniform4: curand4 __uniform_of
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10* state)
{
    const uint4 x = curand4(state);
    return make_float4(__uniform_of(x.x), __uniform_of(x.y), __uniform_of(x.z), __uniform_of(x.w));
}
//@ curand_uniform_double: curand __uniform_of
__device__ inline double curand_uniform_double(curandStateXORWOW* state)
{
    const unsigned x = curand(state);
    return __uniform_of(x, curand(state));
}
__device__ inline double curand_uniform_double(curandStatePhilox4_32_10* state)
{
    return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
__device__ inline double curand_uniform_double(curandStateMRG32k3a* state) { return __mrg32k3a(state) * 2.3283065498378288e-10; }
//@ curand_uniform2_double: curand4 __uniform_of
__device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state)
{
    const uint4 x = curand4(state);
    return make_double2(__uniform_of(x.x, x.y), __uniform_of(x.z, x.w));
}
//@ curand_uniform4_double: curand_uniform2_double
__device__ inline double4 curand_uniform4_double(curandStatePhilox4_32_10* state)
{
    const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
//@ __two_normal: curand curand_uniform __uniform_of logf __sincosf
__device__ inline float2 __on_circle(float radius, float angle)
{
    float2 r;
    const float size = sqrtf(-2.0f * logf(radius));
    __sincosf(angle, &r.x, &r.y);
    r.x *= size;
    r.y *= size;
    return r;
}
__device__ inline float2 __two_normal_of(unsigned x, unsigned y) { return __on_circle(__uniform_of(x), y * 1.46291807e-9f + 7.31459034e-10f); }
template <typename State> __device__ inline float2 __two_normal(State* state)
{
    const unsigned x = curand(state);
    return __two_normal_of(x, curand(state));
}
__device__ inline float2 __two_normal(curandStateMRG32k3a* state)
{
    const float x = curand_uniform(state);
    return __on_circle(x, curand_uniform(state) * 6.2831855f);
}
//@ __two_normal_double: curand curand4 curand_uniform_double __uniform_of __double_log __double_sincospi
__device__ inline double2 __on_circle(double radius, double turns)
{
    double2 r;
    const double size = sqrt(-2.0 * log(radius));
    sincospi(turns, &r.x, &r.y);
    r.x *= size;
    r.y *= size;
    return r;
}
__device__ inline double2 __two_normal_of(uint4 x)
{
    const unsigned long long turns = (unsigned long long)x.z ^ (unsigned long long)x.w << 21;
    return __on_circle(__uniform_of(x.x, x.y), turns * 2.2204460492503131e-16 + 1.1102230246251565e-16);
}
__device__ inline double2 __two_normal_double(curandStateXORWOW* state)
{
    uint4 x;
    x.x = curand(state);
    x.y = curand(state);
    x.z = curand(state);
    x.w = curand(state);
    return __two_normal_of(x);
}
__device__ inline double2 __two_normal_double(curandStatePhilox4_32_10* state) { return __two_normal_of(curand4(state)); }
__device__ inline double2 __two_normal_double(curandStateMRG32k3a* state)
{
    const double x = curand_uniform_double(state);
    return __on_circle(x, curand_uniform_double(state) * 2.0);
}
//@ curand_normal: __two_normal
template <typename State> __device__ inline float curand_normal(State* state)
{
    if (state->boxmuller_flag != 1) {
        const float2 two = __two_normal(state);
        state->boxmuller_extra = two.y;
        state->boxmuller_flag = 1;
        return two.x;
    }
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
}
//@ curand_normal2: __two_normal
template <typename State> __device__ inline float2 curand_normal2(State* state) { return __two_normal(state); }
//@ curand_normal4: curand4 __two_normal
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10* state)
{
    const uint4 x = curand4(state);
    const float2 a = __two_normal_of(x.x, x.y), b = __two_normal_of(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
//@ curand_normal_double: __two_normal_double
template <typename State> __device__ inline double curand_normal_double(State* state)
{
    if (state->boxmuller_flag_double != 1) {
        const double2 two = __two_normal_double(state);
        state->boxmuller_extra_double = two.y;
        state->boxmuller_flag_double = 1;
        return two.x;
    }
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
}
//@ curand_normal2_double: __two_normal_double
template <typename State> __device__ inline double2 curand_normal2_double(State* state) { return __two_normal_double(state); }
//@ curand_normal4_double: __two_normal_double
__device__ inline double4 curand_normal4_double(curandStatePhilox4_32_10* state)
{
    const double2 a = __two_normal_double(state), b = __two_normal_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
//@ curand_log_normal: __two_normal expf
template <typename State> __device__ inline float curand_log_normal(State* state, float mean, float stddev)
{
    if (state->boxmuller_flag != 2) {
        const float2 two = __two_normal(state);
        state->boxmuller_extra = expf(mean + stddev * two.y);
        state->boxmuller_flag = 2;
        return expf(mean + stddev * two.x);
    }
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
}
//@ curand_log_normal2: __two_normal expf
template <typename State> __device__ inline float2 curand_log_normal2(State* state, float mean, float stddev)
{
    const float2 two = __two_normal(state);
    return make_float2(expf(mean + stddev * two.x), expf(mean + stddev * two.y));
}
//@ curand_log_normal4: curand_normal4 expf
__device__ inline float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float stddev)
{
    const float4 v = curand_normal4(state);
    return make_float4(expf(mean + stddev * v.x), expf(mean + stddev * v.y), expf(mean + stddev * v.z), expf(mean + stddev * v.w));
}
//@ curand_log_normal_double: __two_normal_double __double_exp
template <typename State> __device__ inline double curand_log_normal_double(State* state, double mean, double stddev)
{
    if (state->boxmuller_flag_double != 2) {
        const double2 two = __two_normal_double(state);
        state->boxmuller_extra_double = exp(mean + stddev * two.y);
        state->boxmuller_flag_double = 2;
        return exp(mean + stddev * two.x);
    }
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
}
//@ curand_log_normal2_double: __two_normal_double __double_exp
template <typename State> __device__ inline double2 curand_log_normal2_double(State* state, double mean, double stddev)
{
    const double2 two = __two_normal_double(state);
    return make_double2(exp(mean + stddev * two.x), exp(mean + stddev * two.y));
}
//@ curand_log_normal4_double: curand_normal4_double __double_exp
__device__ inline double4 curand_log_normal4_double(curandStatePhilox4_32_10* state, double mean, double stddev)
{
    const double4 v = curand_normal4_double(state);
    return make_double4(exp(mean + stddev * v.x), exp(mean + stddev * v.y), exp(mean + stddev * v.z), exp(mean + stddev * v.w));
}
//@ __poisson_by_rejection: curand_uniform floorf __double_log
__device__ inline float __rsqrt_of(float x) { asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x)); return x; }
__device__ inline float __rcp_of(float x) { asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x)); return x; }
__device__ inline float __exp_of(float x)
{
    x = x * 1.4426950408889634074;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
    return x;
}
__device__ inline float __log_of(float x)
{
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
    return x * 0.69314718055994530942;
}
// A logistic curve near the incomplete gamma function, which can be inverted: its slope and its place.
__device__ inline float2 __gamma_curve(float a)
{
    const float alpha = 1.43248035075540910f * __rsqrt_of(a - 0.12400979329415655f) + 0.00025361074907033f;
    return make_float2(alpha, 0.21096734870196546f * __rsqrt_of(a - 1.97381164089999420f) + 0.94201734077887530f);
}
__device__ inline float __gamma_below(float a, float x)
{
    const float2 curve = __gamma_curve(a);
    float t = curve.x * (a - x) - curve.y;
    t = 1.0f + __exp_of(t);
    return __rcp_of(t * t);
}
__device__ const double __log_factorials[9] = {0.0, 0.0, 6.931471805599453094e-1, 1.791759469228055001, 3.178053830347945620, 4.787491742782045994, 6.579251212010100995, 8.525161361065414300, 10.60460290274525023};
// The logarithm of (a - 1)!, by Stirling's series.
__device__ inline double __log_factorial_below(int a)
{
    if (a <= 8)
        return __log_factorials[a - 1];
    const double x = (float)a, inverse = 1.0 / x, square = inverse * inverse;
    double sum = -0.1633436431e-2;
    sum = sum * square + 0.83645878922e-3;
    sum = sum * square - 0.5951896861197e-3;
    sum = sum * square + 0.793650576493454e-3;
    sum = sum * square - 0.277777777777735865004e-2;
    sum = sum * square + 0.833333333333331018375e-1;
    sum = sum * inverse + 0.918938533204672;
    const double product = 0.5 * log(x) * (x - 0.5);
    return product - x + (product + sum);
}
template <typename State> __device__ inline unsigned __poisson_by_rejection(State* state, float lambda)
{
    const float log_lambda = __log_of(lambda);
    while (true) {
        const float y = curand_uniform(state);
        const float2 curve = __gamma_curve(lambda);
        const float t = curve.y + __log_of(__rsqrt_of(y) - 1.0f);
        const float x = floorf(-t * __rcp_of(curve.x) + lambda);
        const float z = curand_uniform(state);
        const float v = (__gamma_below(lambda, x + 1.0f) - __gamma_below(lambda, x)) * 1.3f;
        const float bound = __exp_of(-lambda + x * log_lambda - (float)__log_factorial_below((int)(1.0f + x)));
        if (z * v < bound && v >= 1e-20)
            return (unsigned)x;
    }
}
//@ __poisson_by_products: curand_uniform expf
template <typename State> __device__ inline unsigned __poisson_by_products(State* state, float lambda)
{
    unsigned count = 0;
    float product = expf(lambda);
    do {
        count++;
        product *= curand_uniform(state);
    } while (product > 1.0f);
    return count - 1;
}
//@ curand_poisson: __poisson_by_rejection __poisson_by_products curand_normal_double
template <typename State> __device__ inline unsigned curand_poisson(State* state, double lambda)
{
    if (lambda < 64)
        return __poisson_by_products(state, (float)lambda);
    if (lambda > 4000)
        return (unsigned)(sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
    return __poisson_by_rejection(state, (float)lambda);
}
//@ curand_poisson4: curand_poisson curand_normal4_double
__device__ inline uint4 curand_poisson4(curandStatePhilox4_32_10* state, double lambda)
{
    if (lambda > 4000) {
        const double4 v = curand_normal4_double(state);
        const double root = sqrt(lambda);
        return make_uint4((unsigned)(root * v.x + lambda + 0.5), (unsigned)(root * v.y + lambda + 0.5), (unsigned)(root * v.z + lambda + 0.5), (unsigned)(root * v.w + lambda + 0.5));
    }
    uint4 counts;
    counts.x = curand_poisson(state, lambda);
    counts.y = curand_poisson(state, lambda);
    counts.z = curand_poisson(state, lambda);
    counts.w = curand_poisson(state, lambda);
    return counts;
}
