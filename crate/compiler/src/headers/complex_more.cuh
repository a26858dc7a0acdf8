// Functions of complex numbers that need the mathematics library, in sections as those of the library itself.
//@ operator/: logbf scalbnf __double_logb __double_scalbn
namespace cuda { namespace std {
// The divisor is scaled to about 1 first. Where both parts are no number, infinities and zeros decide.
template <typename T> __device__ inline complex<T> operator/(const complex<T>& x, const complex<T>& y)
{
    T a = x.__re, b = x.__im, c = y.__re, d = y.__im;
    const T magnitude = logb(fmax(fabs(c), fabs(d)));
    int by = 0;
    if (isfinite(magnitude)) {
        by = (int)magnitude;
        c = scalbn(c, -by);
        d = scalbn(d, -by);
    }
    const T square = fma(c, c, d * d);
    T re = scalbn(fma(a, c, b * d) / square, -by), im = scalbn((b * c - a * d) / square, -by);
    if (isnan(re) && isnan(im)) {
        if (square == (T)0 && (!isnan(a) || !isnan(b))) {
            re = copysign(numeric_limits<T>::infinity(), c) * a;
            im = copysign(numeric_limits<T>::infinity(), c) * b;
        } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
            a = __one_if_infinite(a);
            b = __one_if_infinite(b);
            re = numeric_limits<T>::infinity() * (a * c + b * d);
            im = numeric_limits<T>::infinity() * (b * c - a * d);
        } else if (isinf(magnitude) && magnitude > (T)0 && isfinite(a) && isfinite(b)) {
            c = __one_if_infinite(c);
            d = __one_if_infinite(d);
            re = (T)0 * (a * c + b * d);
            im = (T)0 * (b * c - a * d);
        }
    }
    return complex<T>(re, im);
}
template <typename T> __device__ inline complex<T> operator/(T a, const complex<T>& b) { return complex<T>(a) / b; }
} }
//@ abs: hypotf __double_hypot
template <typename T> __device__ inline T abs(const cuda::std::complex<T>& a) { return hypot(a.__re, a.__im); }
//@ arg: atan2f __double_atan2
template <typename T> __device__ inline T arg(const cuda::std::complex<T>& a) { return atan2(a.__im, a.__re); }
//@ polar: sinf cosf __double_sin __double_cos
template <typename T> __device__ inline cuda::std::complex<T> polar(T radius, T angle = (T)0)
{
    const T none = cuda::std::numeric_limits<T>::quiet_NaN();
    if (isnan(radius) || signbit(radius))
        return cuda::std::complex<T>(none, none);
    if (isnan(angle))
        return isinf(radius) ? cuda::std::complex<T>(radius, angle) : cuda::std::complex<T>(angle, angle);
    if (isinf(angle))
        return isinf(radius) ? cuda::std::complex<T>(radius, none) : cuda::std::complex<T>(none, none);
    T re = radius * cos(angle);
    if (isnan(re))
        re = (T)0;
    T im = radius * sin(angle);
    if (isnan(im))
        im = (T)0;
    return cuda::std::complex<T>(re, im);
}
//@ log: logf __double_log abs arg
template <typename T> __device__ inline cuda::std::complex<T> log(const cuda::std::complex<T>& a)
{
    return cuda::std::complex<T>(log(abs(a)), arg(a));
}
//@ sqrt: abs arg polar
template <typename T> __device__ inline cuda::std::complex<T> sqrt(const cuda::std::complex<T>& a)
{
    using C = cuda::std::complex<T>;
    const T infinity = cuda::std::numeric_limits<T>::infinity();
    if (isinf(a.__im))
        return C(infinity, a.__im);
    if (isinf(a.__re)) {
        if (a.__re > (T)0)
            return C(a.__re, isnan(a.__im) ? a.__im : copysign((T)0, a.__im));
        return C(isnan(a.__im) ? a.__im : (T)0, copysign(a.__re, a.__im));
    }
    return polar(sqrt(abs(a)), arg(a) / (T)2);
}
//@ exp: expf __double_exp sinf cosf __double_sin __double_cos
template <typename T> __device__ inline cuda::std::complex<T> exp(const cuda::std::complex<T>& a)
{
    using C = cuda::std::complex<T>;
    T angle = a.__im;
    if (angle == (T)0)
        return C(exp(a.__re), copysign((T)0, a.__im));
    if (isinf(a.__re)) {
        if (a.__re < (T)0) {
            if (!isfinite(angle))
                angle = (T)1;
        } else if (!isfinite(angle)) {
            return C(a.__re, isinf(angle) ? cuda::std::numeric_limits<T>::quiet_NaN() : angle);
        }
    }
    const T length = exp(a.__re);
    return C(length * cos(angle), length * sin(angle));
}
//@ pow: exp log
template <typename T> __device__ inline cuda::std::complex<T> pow(const cuda::std::complex<T>& a, const cuda::std::complex<T>& b)
{
    return exp(b * log(a));
}
template <typename T> __device__ inline cuda::std::complex<T> pow(const cuda::std::complex<T>& a, T b) { return pow(a, cuda::std::complex<T>(b)); }
