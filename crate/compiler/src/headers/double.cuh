// Functions of the mathematics library for `double`, with the steps and the coefficients that NVRTC's PTX has, so that
// results are the same to the bit. Sections are as in math.cuh; what a source calls `exp` is here `__double_exp`.
//@ __reciprocal
__device__ inline double __reciprocal(double x)
{
    const double r = __drcp_ftz(x);
    const double error = fma(-x, r, 1.0);
    return fma(fma(error, error, error), r, r);
}
//@ __root
__device__ inline double __root(double x)
{
    const double r = __drsqrt_ftz(x);
    const double halved = __hiloint2double(__double2hiint(r) - 1048576, __double2loint(r)), s = x * r;
    const double t = fma(fma(s, -s, x), halved, s);
    return fma(fma(t, -t, x), fma(fma(r, -t, 1.0), halved, halved), t);
}
//@ __power_series
__device__ inline double __power_series(double r)
{
    return fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(2.502232253650299e-08, r, 2.763090348817311e-07), r, 2.755751454588244e-06), r, 2.4801491039099165e-05), r, 0.00019841269589115497), r, 0.001388888894591638), r, 0.008333333333455043), r, 0.041666666666519754), r, 0.16666666666666477), r, 0.5000000000000012), r, 1.0), r, 1.0);
}
//@ __scaled
// A number times 2^n, in two steps where n is too large for one.
__device__ inline double __scaled(double x, int n, bool is_one_step)
{
    const int high = __double2hiint(x), low = __double2loint(x);
    if (is_one_step)
        return __hiloint2double(high + (n << 20), low);
    const int halved = (n + (int)((unsigned)n >> 31)) >> 1;
    return __hiloint2double(high + (halved << 20), low) * __hiloint2double(((n - halved) << 20) + 1072693248, 0);
}
//@ __double_exp: __power_series __scaled
__device__ inline double __double_exp(double x)
{
    const double shifted = fma(x, 1.4426950408889634, 6755399441055744.0), k = shifted + -6755399441055744.0;
    const double series = __power_series(fma(k, -2.3190468138462996e-17, fma(k, -0.6931471805599453, x)));
    const float size = fabsf(__int_as_float(__double2hiint(x)));
    const bool is_near = size < __int_as_float(0x4086232b);
    if (!is_near && !(size < __int_as_float(0x40874800)))
        return x < 0.0 ? 0.0 : x + __longlong_as_double(0x7ff0000000000000);
    return __scaled(series, __double2loint(shifted), is_near);
}
//@ __double_exp2: __power_series __scaled
__device__ inline double __double_exp2(double x)
{
    const double shifted = x + 6755399441055744.0, part = x - (shifted + -6755399441055744.0);
    const double series = __power_series(fma(part, 0.6931471805599453, part * (2.3190468138462996e-17)));
    const float size = fabsf(__int_as_float(__double2hiint(x)));
    const bool is_near = size < __int_as_float(0x408ff000);
    if (!is_near && !(size < __int_as_float(0x4090cc00)))
        return x != x ? x + x : __double2hiint(x) < 0 ? 0.0 : __longlong_as_double(0x7ff0000000000000);
    return __scaled(series, __double2loint(shifted), is_near);
}
//@ __double_exp10: __power_series __scaled
__device__ inline double __double_exp10(double x)
{
    const double shifted = fma(x, 3.321928094887362, 6755399441055744.0), k = shifted + -6755399441055744.0;
    const double part = fma(k, 2.8037281277851704e-18, fma(k, -0.3010299956639812, x));
    const double series = __power_series(fma(part, 2.302585092994046, part * (-2.1707562233822494e-16)));
    const float size = fabsf(__int_as_float(__double2hiint(x)));
    const bool is_near = size < __int_as_float(0x40733a71);
    if (!is_near && !(size < __int_as_float(0x407439b8)))
        return x != x ? x + x : __double2hiint(x) < 0 ? 0.0 : __longlong_as_double(0x7ff0000000000000);
    return __scaled(series, __double2loint(shifted), is_near);
}
//@ __power_less
// e^x / 2^drop - 1 / 2^drop.
__device__ inline double __power_less(double x, int drop)
{
    const double shifted = fma(x, 1.4426950408889634, 6755399441055744.0), k = shifted + -6755399441055744.0;
    const unsigned doubled = (unsigned)__double2hiint(x) << 1;
    const bool is_small = doubled < 2142496327u;
    const double far = fma(k, -2.3190468138462996e-17, fma(k, -0.6931471805599453, x)), r = is_small ? x : far;
    const int n = is_small ? 0 : __double2loint(shifted) - drop;
    const bool is_top = n == 1024;
    const double scale = __hiloint2double(((n + (is_top ? -1 : 0)) << 20) + 1072693248, 0);
    const double sum = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(2.0900320002536536e-09, r, 2.5118162590908232e-08), r, 2.7557338697780046e-07), r, 2.755722422687505e-06), r, 2.4801587233770713e-05), r, 0.00019841269897009385), r, 0.0013888888888929842), r, 0.008333333333321891), r, 0.04166666666666661), r, 0.1666666666666667), r, 0.5);
    const double found = fma(fma(r * sum, r, r), scale, scale - __hiloint2double(1072693248 - (drop << 20), 0));
    const double twice = found + found;
    return doubled == 0 ? r : is_top ? twice : found;
}
//@ __double_expm1: __power_less
__device__ inline double __double_expm1(double x)
{
    const float high = __int_as_float(__double2hiint(x));
    if (high < __int_as_float(0x40862e43) && high > __int_as_float(0xc04a8000))
        return __power_less(x, 0);
    return x != x ? x + x : __double2hiint(x) < 0 ? -1.0 : __longlong_as_double(0x7ff0000000000000);
}
//@ __double_sinh: __power_less
__device__ inline double __double_sinh(double x)
{
    const double size = fabs(x);
    double found;
    if ((unsigned)__double2hiint(size) < 1072693248u) {
        const double z = size * size;
        found = fma(z * fma(fma(fma(fma(fma(fma(7.75874880215053e-13, z, 1.6057259768605444e-10), z, 2.5052123136725876e-08), z, 2.755731915707185e-06), z, 0.00019841269841431873), z, 0.008333333333333148), z, 0.16666666666666669), size, size);
    } else {
        const double less = __power_less(size, 1);
        found = less + (less / fma(2.0, less, 1.0));
        if (size >= 710.475860073944)
            found = __longlong_as_double(0x7ff0000000000000);
    }
    return copysign(found, x);
}
//@ __double_cosh: __power_series __reciprocal
__device__ inline double __double_cosh(double x)
{
    const double size = fabs(x);
    double halved = x <= __longlong_as_double(0x7ff0000000000000) ? __longlong_as_double(0x7ff0000000000000) : x;
    if ((unsigned)__double2hiint(size) < 1082536911u) {
        const double shifted = fma(size, 1.4426950408889634, 6755399441055744.0), k = shifted + -6755399441055744.0;
        const double series = __power_series(fma(k, -2.3190468138462996e-17, fma(k, -0.6931471805599453, size)));
        const double quarter = __hiloint2double((__double2loint(shifted) << 20) + __double2hiint(series) - 2097152, __double2loint(series));
        halved = fma(__reciprocal(quarter), 0.0625, quarter);
    }
    return halved + halved;
}
//@ __double_tanh: __reciprocal
__device__ inline double __double_tanh(double x)
{
    const double size = fabs(x);
    if (!(size >= __longlong_as_double(0x3fe4f92224dd2f1a))) {
        const double z = x * x;
        return fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-1.596017517389285e-05, z, 7.709297689027866e-05), z, -0.00022870121144856145), z, 0.000586488194620488), z, -0.001455047543504545), z, 0.0035920144108182715), z, -0.008863225224458907), z, 0.021869487987893173), z, -0.05396825395322091), z, 0.1333333333331715), z, -0.33333333333333304), z, 0.0), x, x);
    }
    const double twice = size + size;
    const float k = rintf(__double2float_rn(twice) * __int_as_float(0x3fb8aa3b));
    const float power = __ex2_ftz(k);
    const double r = fma(-(double)k, 0.6931471805599453, twice), e = (double)power;
    const double sum = fma(fma(fma(fma(fma(fma(fma(fma(fma(2.506210197447926e-08, r, 2.762626470761021e-07), r, 2.7557381798574225e-06), r, 2.4801504596442702e-05), r, 0.00019841269746984988), r, 0.0013888888932264757), r, 0.008333333333377164), r, 0.041666666666573884), r, 0.16666666666666607), r, 0.5000000000000006);
    const double inverse = __reciprocal(2.0 - fma(-fma(r * sum, r, r), e, 1.0 - e));
    const double found = fma(2.0, -inverse, 1.0);
    return copysign((unsigned)__double2hiint(size) > 1077088193u ? 1.0 : found, x);
}
//@ __double_log: __reciprocal
__device__ inline double __double_log(double x)
{
    int high = __double2hiint(x), exponent = -1023;
    if (high <= 1048575) {
        x = x * (1.8014398509481984e+16);
        high = __double2hiint(x);
        exponent = -1077;
    }
    if ((unsigned)(high - 1) >= 2146435071u) {
        const double infinity = __longlong_as_double(0x7ff0000000000000), other = fma(x, infinity, infinity);
        return __int_as_float(high) == 0.0f ? -infinity : other;
    }
    exponent += (int)((unsigned)high >> 20);
    const int top = (high & (int)0x800fffffu) | 1072693248;
    double fraction = __hiloint2double(top, __double2loint(x));
    if (top >= 1073127583) {
        fraction = __hiloint2double(__double2hiint(fraction) - 1048576, __double2loint(fraction));
        exponent++;
    }
    const double inverse = __reciprocal(fraction + 1.0), less = fraction + -1.0;
    const double u = fma(less, inverse, less * inverse), z = u * u, rest = less - u;
    const double k = __hiloint2double(1127219200, exponent ^ (int)0x80000000u) - __hiloint2double(1127219200, (int)0x80000000u);
    const double first = fma(k, 0.6931471805599453, u);
    const double sum = fma(fma(fma(fma(fma(fma(fma(1.0263276909458365e-06, z, 4.036488625710656e-06), z, 1.8784407018835667e-05), z, 8.877807196497797e-05), z, 0.00043402779293201976), z, 0.0022321428567665586), z, 0.012500000000004514), z, 0.08333333333333331);
    const double second = fma(z * sum, u, inverse * fma(-u, less, rest + rest)) - (fma(-k, 0.6931471805599453, first) - u);
    return first + fma(k, 2.3190468138462996e-17, second);
}
//@ __double_log2: __double_log
__device__ inline double __double_log2(double x) { const double l = __double_log(x); return fma(l, 1.4426950408889634, l * (2.0355273740931033e-17)); }
//@ __double_log10: __double_log
__device__ inline double __double_log10(double x) { const double l = __double_log(x); return fma(l, 0.4342944819032518, l * (1.098319650216765e-17)); }
//@ __double_log1p: __double_log
__device__ inline double __double_log1p(double x)
{
    const float high = __int_as_float(__double2hiint(x));
    if (!(high < __int_as_float(0x3fe55555) && high > __int_as_float(0xbfd99999)))
        return __double_log(x + 1.0);
    const double part = x * (x / (x + 2.0)), u = x - part, z = u * u;
    return x + fma(z * fma(fma(fma(fma(fma(fma(fma(1.1592593968945531e-06, z, 3.941356435158717e-06), z, 1.881270924625768e-05), z, 8.87736089951566e-05), z, 0.0004340281868625582), z, 0.0022321428379086373), z, 0.012500000000436613), z, 0.08333333333332996), u, -part);
}
//@ __double_angle
// The bits of 2 / pi, the lowest first.
__device__ const unsigned long long __two_over_pi_long[18] = {0x6bfb5fb11f8d5d08, 0x3d0739f78a5292ea, 0x7527bac7ebe5f17b, 0x4f463f669e5fea2d, 0x6d367ecf27cb09b7, 0xef2f118b5a0a6d1f, 0x1ff897ffde05980f, 0x9c845f8bbdf9283b, 0x3991d639835339f4, 0xe99c7026b45f7e41, 0xe88235f52ebb4484, 0xfe1deb1cb129a73e, 0x06492eea09d1921c, 0xb7246e3a424dd2e0, 0xfe5163abdebbc561, 0xdb6295993c439041, 0xfc2757d1f534ddc0, 0xa2f9836e4e441529};
// An angle beyond 2^31 less the nearest multiple of pi / 2, and which multiple that is.
__device__ inline double __double_far_angle(double x, int* quadrant)
{
    const int exponent = (__double2hiint(x) >> 20) & 2047;
    *quadrant = 0;
    if (exponent == 2047)
        return x;
    const int first = 15 - ((exponent - 1024) >> 6), shift = (exponent - 1024) & 63;
    const unsigned long long fraction = (unsigned long long)__double_as_longlong(x) << 11 | 0x8000000000000000ull;
    unsigned long long carry = 0, low = 0, middle = 0, high = 0;
    for (int i = first; i < (first + 4 < 18 ? first + 4 : 18); i++) {
        const unsigned long long word = __two_over_pi_long[i], product = word * fraction;
        low = middle;
        middle = high;
        high = product + carry;
        carry = __umul64hi(word, fraction) + (high < product ? 1 : 0);
    }
    // Of an angle of more words what the carry holds are whole turns.
    unsigned long long top = first == 15 ? carry : high, next = first == 15 ? high : middle;
    const unsigned long long last = first == 15 ? middle : low;
    if (shift != 0) {
        top = top << shift | next >> (64 - shift);
        next = next << shift | last >> (64 - shift);
    }
    const int rounds_up = (int)(top >> 61) & 1;
    const int multiple = rounds_up + (int)(top >> 62);
    const bool is_negative = __double2hiint(x) < 0;
    *quadrant = is_negative ? -multiple : multiple;
    unsigned long long a = top << 2 | next >> 62, b = next << 2;
    if (rounds_up != 0) {
        a = ~a + (b == 0 ? 1 : 0);
        b = 0 - b;
    }
    const int zeros = __clzll((long long)a);
    if (zeros != 0)
        a = a << zeros | b >> (64 - zeros);
    const unsigned long long pi = 0xc90fdaa22168c235ull, product = a * pi;
    unsigned long long found = __umul64hi(a, pi);
    const bool is_short = (long long)found > 0;
    if (is_short)
        found = found << 1 | product >> 63;
    const unsigned long long sign = (is_negative != (rounds_up != 0)) ? 0x8000000000000000ull : 0;
    const unsigned long long scale = 0x3fe0000000000000ull - ((unsigned long long)(zeros + (is_short ? 1 : 0)) << 52);
    return __longlong_as_double((long long)(scale + ((((found + 1) >> 10) + 1) >> 1) | sign));
}
__device__ inline double __double_angle(double x, int* quadrant)
{
    *quadrant = 0;
    const double size = fabs(x);
    if (size == __longlong_as_double(0x7ff0000000000000))
        return x * 0.0;
    const int multiple = __double2int_rn(x * 0.6366197723675814);
    const double k = -(double)multiple;
    *quadrant = multiple;
    const double r = fma(k, 8.478427660368898e-32, fma(k, 6.123233995736757e-17, fma(k, 1.5707963267948966, x)));
    return size >= 2147483648.0 ? __double_far_angle(x, quadrant) : r;
}
//@ __double_sine_of: __double_angle
__device__ __align__(16) const double __sine_terms[16] = {-2.5050911383645487e-08, 2.755731498463003e-06, -0.0001984126983447703, 0.008333333333329349, -0.16666666666666663, 0.0, 0.0, -1.1367817304626284e-11, 2.08758833785978e-09, -2.7557315542999557e-07, 2.4801587293618683e-05, -0.0013888888888880667, 0.04166666666666664, -0.5, 1.0};
__device__ inline double __double_sine_of(double r, int quadrant)
{
    const bool is_sine = (quadrant & 1) == 0;
    const double2* terms = (const double2*)(__sine_terms + ((quadrant << 3) & 8));
    const double z = r * r;
    const double2 a = __ldg(terms), b = __ldg(terms + 1), c = __ldg(terms + 2);
    const double sum = fma(fma(fma(fma(fma(fma(is_sine ? 1.5903078570611027e-10 : -1.1367817304626284e-11, z, a.x), z, a.y), z, b.x), z, b.y), z, c.x), z, c.y);
    double found = fma(sum, r, r);
    if (!is_sine)
        found = fma(sum, z, 1.0);
    if ((quadrant & 2) != 0)
        found = fma(found, -1.0, 0.0);
    return found;
}
//@ __double_sin: __double_sine_of
__device__ inline double __double_sin(double x) { int quadrant; const double r = __double_angle(x, &quadrant); return __double_sine_of(r, quadrant); }
//@ __double_cos: __double_sine_of
__device__ inline double __double_cos(double x) { int quadrant; const double r = __double_angle(x, &quadrant); return __double_sine_of(r, quadrant + 1); }
//@ __double_sincos: __double_sine_of
__device__ inline void __double_sincos(double x, double* sine, double* cosine)
{
    int quadrant;
    const double r = __double_angle(x, &quadrant);
    *sine = __double_sine_of(r, quadrant);
    *cosine = __double_sine_of(r, quadrant + 1);
}
//@ __double_tan: __double_angle __reciprocal
__device__ inline double __double_tan(double x)
{
    int quadrant;
    const double r = __double_angle(x, &quadrant), z = r * r;
    const double sum = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(9.80062872032863e-06, z, -2.4279526494179897e-05), z, 4.864417313093716e-05), z, -2.5640012693782273e-05), z, 6.722398433088007e-05), z, 8.355928731821164e-05), z, 0.00024375039850848564), z, 0.0005888648775485667), z, 0.001456045484467204), z, 0.003592100888585718), z, 0.008863237921861371), z, 0.02186948839933789), z, 0.053968253972902704), z, 0.13333333333325342), z, 0.3333333333333338);
    const double part = z * sum, tangent = fma(part, r, r);
    if ((quadrant & 1) == 0)
        return tangent;
    const double rest = fma(part, r, -(tangent - r)), inverse = -__reciprocal(tangent);
    return fma(fma(inverse, rest, fma(tangent, inverse, 1.0)), inverse, inverse);
}
//@ __tangent_series
__device__ inline double __tangent_series(double t)
{
    const double z = t * t;
    return fma(z * fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-2.0258553044438358e-05, z, 0.0002230224034575851), z, -0.0011640717779930576), z, 0.0038559749383629918), z, -0.009184559218716548), z, 0.01697803583459733), z, -0.025826796814495994), z, 0.03406781108271512), z, -0.04092638242050997), z, 0.046739496199157994), z, -0.05239233005460132), z, 0.05877307772179085), z, -0.06665860363351257), z, 0.07692212930586784), z, -0.09090901235400523), z, 0.11111110678749424), z, -0.14285714271334815), z, 0.1999999999975502), z, -0.3333333333333186), t, t);
}
//@ __double_atan: __tangent_series __reciprocal
__device__ inline double __double_atan(double x)
{
    const double size = fabs(x);
    double t = size;
    if (size > 1.0) {
        const double inverse = __reciprocal(size);
        t = size == __longlong_as_double(0x7ff0000000000000) ? 0.0 : inverse;
    }
    const double series = __tangent_series(t), other = 1.5707963267948966 - series;
    return copysign(size > 1.0 ? other : series, x);
}
//@ __double_atan2: __tangent_series
__device__ inline double __double_atan2(double y, double x)
{
    const double a = fabs(x), b = fabs(y), large = b > a ? b : a, small = b > a ? a : b;
    const bool is_left = __double2hiint(x) < 0;
    double found = is_left ? 3.141592653589793 : 0.0;
    if (large != 0.0) {
        const double series = __tangent_series(small / large);
        const double steep = (is_left ? series : -series) + 1.5707963267948966, back = 3.141592653589793 - series;
        found = b > a ? steep : is_left ? back : series;
        if (a == b)
            found = is_left ? 2.356194490192345 : 0.7853981633974483;
    }
    const double sum = __dadd_rn(a, b);
    return sum != sum ? sum : copysign(found, y);
}
//@ __sine_series
__device__ inline double __sine_series(double z)
{
    return z * fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(0.06259798167646803, z, -0.07620591484676952), z, 0.06686894879337643), z, -0.01787828218369301), z, 0.01745227928732326), z, 0.0100042275424558), z, 0.01418108777515123), z, 0.01733194598980628), z, 0.02237350511593569), z, 0.03038188875134962), z, 0.04464285849810986), z, 0.0749999999834227), z, 0.1666666666667375);
}
//@ __double_asin: __sine_series __root
__device__ inline double __double_asin(double x)
{
    if (fabsf(__int_as_float(__double2hiint(x))) < __int_as_float(0x3fe26666))
        return fma(__sine_series(x * x), x, x);
    const double z = fma(-0.5, fabs(x), 0.5);
    double root = __root(z);
    if (__double2hiint(z) < 0)
        root = __longlong_as_double(0xfff8000000000000);
    const double u = (z != 0.0 ? root : z) * -2.0;
    return copysign(u + 0.7853981633974483 + fma(u, __sine_series(z), 6.123233995736766e-17) + 0.7853981633974483, x);
}
//@ __double_acos: __sine_series __root
__device__ inline double __double_acos(double x)
{
    const double size = fabs(x);
    if (__double2hiint(size) < 1071801958) {
        const double series = fma(__sine_series(size * size), size, size);
        if (__double2hiint(x) < 0)
            return __dadd_rn(1.5707963267948966, __dadd_rn(series, 6.123233995736766e-17));
        return __dadd_rn(1.5707963267948966, -__dadd_rn(series, -6.123233995736766e-17));
    }
    const double d = 1.0 - size;
    double found = __dmul_rn(size, 0.0);
    if (__double2hiint(d) >= 1) {
        const double root = __root(__hiloint2double(__double2hiint(d) - 1048576, __double2loint(d)));
        const double twice = __hiloint2double(__double2hiint(root) + 1048576, __double2loint(root));
        found = fma(d * fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(2.751918949311172e-06, d, -1.5951212865388395e-06), d, 6.118529412726973e-06), d, 6.928343859556241e-06), d, 1.9480663162164715e-05), d, 4.503196545530714e-05), d, 0.00010911426300865435), d, 0.00027113554445344455), d, 0.0006991300615525486), d, 0.0018988715243469585), d, 0.005580357142924968), d, 0.018749999999999475), d, 0.08333333333333333), twice, twice);
    }
    if (__double2hiint(d) < 0)
        found = __dmul_rn(found, __longlong_as_double(0x7ff0000000000000));
    if (__double2hiint(x) < 0)
        found = __dadd_rn(3.141592653589793, -__dadd_rn(found, -1.2246467991473532e-16));
    return found;
}
//@ __double_rsqrt
__device__ inline double __double_rsqrt(double x) { return __drsqrt(x); }
//@ __double_cbrt: __reciprocal
__device__ inline double __double_cbrt(double x)
{
    int high = __double2hiint(x) & 0x7fffffff, low = __double2loint(x), dropped = 0;
    if (((unsigned)high >> 20) == 0) {
        const double size = __hiloint2double(high, low) * (1.8014398509481984e+16);
        high = __double2hiint(size);
        low = __double2loint(size);
        dropped = 18;
    }
    const int third = __float2int_rn(__int2float_rn((int)((unsigned)high >> 20) - 1022) * __int_as_float(0x3eaaaaab));
    const double m = __hiloint2double(third * -3145728 + high, low);
    const float guess = __ex2_ftz(__lg2_ftz(__double2float_rn(m)) * __int_as_float(0x3eaaaaab));
    const double y = (double)guess, z = y * y;
    const double inverse = __reciprocal(fma(__hiloint2double(__double2hiint(z) + 1048576, __double2loint(z)), y, m));
    const double root = fma(y, inverse * fma(z, -y, m), y), twice = x + x;
    const double found = copysign(__hiloint2double(__double2hiint(root) + ((third - dropped) << 20), __double2loint(root)), x);
    return twice == x || twice != twice ? twice : found;
}
//@ __double_hypot
__device__ inline double __double_hypot(double x, double y)
{
    const unsigned long long a = (unsigned long long)__double_as_longlong(fabs(x)), b = (unsigned long long)__double_as_longlong(fabs(y));
    const double large = __longlong_as_double((long long)(a > b ? a : b)), small = __longlong_as_double((long long)(a > b ? b : a));
    const int top = __double2hiint(large) & -4194304;
    const double scale = __hiloint2double(2144337920 - top, 0), u = scale * small, v = scale * large;
    const double sum = fma(v, v, u * u), bounded = fmin(sum, 1.7976931348623157e+308);
    const double r = __drsqrt_ftz(bounded);
    const double error = fma(bounded, -(r * r), 1.0);
    const double root = sum * fma(fma(0.375, error, 0.5), error * r, r);
    const double found = root * __hiloint2double(top | 1048576, 0);
    if (!((unsigned)__double2hiint(small) < 2146435072u))
        return small;
    return small == 0.0 ? large : found;
}
//@ __double_fmod
__device__ inline double __double_fmod(double x, double y)
{
    const double infinity = __longlong_as_double(0x7ff0000000000000);
    double a = fabs(x), b = fabs(y);
    if (!(a < infinity) || !(b < infinity)) {
        if (!(a <= infinity && b <= infinity))
            return x + y;
        return a == infinity ? __longlong_as_double(0xfff8000000000000) : x;
    }
    if (b == 0.0)
        return __longlong_as_double(0xfff8000000000000);
    if (a < b)
        return x;
    int of_a = __double2hiint(a) >> 20, of_b = __double2hiint(b) >> 20;
    if (of_a == 0) {
        a = a * (1.8014398509481984e+16);
        of_a = (__double2hiint(a) >> 20) - 54;
    }
    if (of_b == 0) {
        b = b * (1.8014398509481984e+16);
        of_b = (__double2hiint(b) >> 20) - 54;
    }
    const long long divisor = (__double_as_longlong(b) & 0xfffffffffffffll) | 0x10000000000000ll;
    long long rest = (__double_as_longlong(a) & 0xfffffffffffffll) | 0x10000000000000ll;
    for (int left = of_a - of_b; left >= 0; left--) {
        const long long less = rest - divisor;
        rest = less < 0 ? rest : less;
        if (left > 0)
            rest <<= 1;
    }
    if (rest == 0)
        return copysign(0.0, x);
    const int shift = __clzll(rest) - 11;
    rest <<= shift;
    of_b -= shift;
    const long long bits = of_b > 0 ? rest + ((long long)(of_b - 1) << 52) : rest >> (1 - of_b);
    return copysign(__longlong_as_double(bits), x);
}
//@ __double_erf
__device__ inline double __double_erf(double x)
{
    const double a = fabs(x);
    const double t = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-3.642577040697121e-15, a, 1.636624707883456e-13), a, -3.4079297100747907e-12), a, 4.3555974045566826e-11), a, -3.806599039253438e-10), a, 2.389211325400646e-09), a, -1.0909760903049583e-08), a, 3.508901186822047e-08), a, -6.72032708005184e-08), a, -8.299332548682465e-09), a, 5.643145203798444e-07), a, -2.0278249778025215e-06), a, 3.1218939658311085e-06), a, 3.180046170354655e-06), a, -2.9583306728241582e-05), a, 6.442483232470452e-05), a, 2.590260570264615e-05), a, -0.0005901318195328236), a, 0.001696207528729842), a, -0.00020919483164788562), a, -0.019128446995328407), a, 0.10277260330144233), a, 0.6366197723675876), a, 0.1283791670955126);
    const double p = fma(t, a, a), rest = fma(t, a, a - p);
    const float k = rintf(__double2float_rn(p) * __int_as_float(0xbfb8aa3b));
    const float power = __ex2_ftz(k);
    const double r = fma(-(double)k, 0.6931471805599453, -p), e = (double)power;
    const double sum = fma(fma(fma(fma(fma(fma(fma(fma(fma(2.506210197447926e-08, r, 2.762626470761021e-07), r, 2.7557381798574225e-06), r, 2.4801504596442702e-05), r, 0.00019841269746984988), r, 0.0013888888932264757), r, 0.008333333333377164), r, 0.041666666666573884), r, 0.16666666666666607), r, 0.5000000000000006);
    const double found = fma(-(r + fma(r * sum, r, -rest)), e, 1.0 - e);
    return copysign(a >= 5.9215871957945065 ? 1.0 : found, x);
}
//@ __positive_power: __reciprocal __power_series __scaled
__device__ inline double __positive_power(double x, double y)
{
    int high = __double2hiint(x), exponent = (int)((unsigned)high >> 20);
    if (exponent == 0) {
        x = x * (1.8014398509481984e+16);
        high = __double2hiint(x);
        exponent = (int)((unsigned)high >> 20) - 54;
    }
    exponent -= 1023;
    int top = (high & (int)0x800fffffu) | 1072693248;
    if ((unsigned)top >= 1073127583u) {
        top -= 1048576;
        exponent++;
    }
    // The logarithm as the sum of two numbers.
    const double fraction = __hiloint2double(top, __double2loint(x)), inverse = __reciprocal(fraction + 1.0), less = fraction + -1.0;
    const double u = fma(less, inverse, less * inverse), z = u * u, part = less - u;
    const double u_low = inverse * fma(-u, less, part + part);
    const double sum = fma(fma(fma(fma(fma(fma(1.0109501899597673e-06, z, 4.043636205277137e-06), z, 1.8783065870784382e-05), z, 8.877820186630203e-05), z, 0.0004340277860504996), z, 0.002232142856960391), z, 0.012500000000001945), twelfth = 0.08333333333333333;
    const double c = fma(z, sum, twelfth), c_rest = (fma(z, sum, twelfth - c) + 0.0) + (-2.4550373211645616e-18);
    const double c_high = c + c_rest, c_low = c_rest + (c - c_high);
    const double square = u * u, twice_low = __hiloint2double(__double2hiint(u_low) + 1048576, __double2loint(u_low));
    const double square_low = fma(u, twice_low, fma(u, u, -square));
    const double cube = square * u;
    const double cube_low = fma(square_low, u, fma(square, u_low, fma(square, u, -cube)));
    const double term = c_high * cube;
    const double term_low = fma(c_low, cube, fma(c_high, cube_low, fma(c_high, cube, -term)));
    const double t = term + term_low, t_low = term_low + (term - t);
    const double s = u + t, s_low = u_low + (t_low + (t + (u - s)));
    const double l = s + s_low, l_low = s_low + (s - l);
    const double k = __hiloint2double(1127219200, exponent ^ (int)0x80000000u) - __hiloint2double(1127219200, (int)0x80000000u);
    const double first = fma(k, 0.6931471805599453, l);
    const double second = fma(k, 2.3190468138462996e-17, l_low - (fma(-k, 0.6931471805599453, first) - l));
    const double log_high = first + second, log_low = second + (first - log_high);
    // Its product with y, which is made smaller where it would be too large.
    const int of_y = __double2hiint(y);
    const double factor = __hiloint2double(((unsigned)of_y << 1) > 0xfe000000u - 1u ? of_y & (int)0xff0fffffu : of_y, __double2loint(y));
    const double p = log_high * factor, p_low = fma(log_low, factor, fma(log_high, factor, -p));
    const double power = p + p_low, power_low = p_low + (p - power);
    const double shifted = fma(power, 1.4426950408889634, 6755399441055744.0), n = shifted + -6755399441055744.0;
    const double series = __power_series(fma(n, -2.3190468138462996e-17, fma(n, -0.6931471805599453, power)));
    const float size = fabsf(__int_as_float(__double2hiint(power)));
    const bool is_near = size < __int_as_float(0x4086232b);
    double found;
    if (!is_near && !(size < __int_as_float(0x40874800)))
        found = power < 0.0 ? 0.0 : power + __longlong_as_double(0x7ff0000000000000);
    else
        found = __scaled(series, __double2loint(shifted), is_near);
    if (fabs(found) != __longlong_as_double(0x7ff0000000000000))
        found = fma(found, power_low, found);
    return found;
}
//@ __double_pow: __positive_power __powi __powif
__device__ inline double __double_pow(double x, double y)
{
    const int of_x = __double2hiint(x), of_y = __double2hiint(y), infinite = 2146435072;
    double found = __positive_power(fabs(x), y);
    const unsigned shift = ((unsigned)(of_y & infinite) >> 20) - 1012;
    const unsigned long long whole_bits = shift > 63 ? 0 : (unsigned long long)__double_as_longlong(y) << shift;
    bool is_odd = whole_bits == 0x8000000000000000ull;
    if (x == 0.0) {
        is_odd = is_odd && fabs(y) != 0.5;
        const int zero = is_odd ? of_x : 0;
        found = __hiloint2double(of_y < 0 ? zero | infinite : zero, 0);
    } else if (of_x < 0) {
        if (is_odd)
            found = -found;
        if (trunc(y) != y)
            found = __longlong_as_double(0xfff8000000000000);
    }
    const double sum = x + y, size = fabs(x), of = fabs(y), infinity = __longlong_as_double(0x7ff0000000000000);
    if ((__double2hiint(sum) & infinite) == infinite) {
        if (x != x || y != y)
            found = x + y;
        else if (of == infinity) {
            const int large = size > 1.0 ? infinite : 0;
            found = __hiloint2double(x == -1.0 ? 1072693248 : of_y < 0 ? large ^ infinite : large, 0);
        } else if (size == infinity) {
            const int large = of_y >= 0 ? infinite : 0;
            found = __hiloint2double(of_x < 0 && is_odd && (of_y & 2147483647) != 1071644672 ? large | (int)0x80000000u : large, 0);
        }
    }
    return x == 1.0 || y == 0.0 ? 1.0 : found;
}
