// Small parts of `cuda/std/`: limits, types, values that travel together.
namespace cuda { namespace std {
template <typename T> struct numeric_limits;
template <> struct numeric_limits<float> {
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, has_infinity = true;
    static constexpr int digits = 24;
    __device__ static constexpr float max() { return 3.402823466e+38f; }
    __device__ static constexpr float lowest() { return -3.402823466e+38f; }
    __device__ static constexpr float min() { return 1.175494351e-38f; }
    __device__ static constexpr float epsilon() { return 1.192092896e-07f; }
    __device__ static constexpr float infinity() { return __int_as_float(0x7f800000); }
    __device__ static constexpr float quiet_NaN() { return __int_as_float(0x7fffffff); }
};
template <> struct numeric_limits<double> {
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, has_infinity = true;
    static constexpr int digits = 53;
    __device__ static constexpr double max() { return 1.7976931348623158e+308; }
    __device__ static constexpr double lowest() { return -1.7976931348623158e+308; }
    __device__ static constexpr double min() { return 2.2250738585072014e-308; }
    __device__ static constexpr double epsilon() { return 2.2204460492503131e-16; }
    __device__ static constexpr double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
    __device__ static constexpr double quiet_NaN() { return __longlong_as_double(0x7ff8000000000000ll); }
};
template <typename T, bool sign> struct __integer_limits {
    static constexpr bool is_specialized = true, is_signed = sign, is_integer = true, has_infinity = false;
    static constexpr int digits = 8 * (int)sizeof(T) - (sign ? 1 : 0);
    __device__ static constexpr T max() { return (T)(sign ? (1ull << (8 * sizeof(T) - 1)) - 1 : ~0ull); }
    __device__ static constexpr T min() { return (T)(sign ? 1ull << (8 * sizeof(T) - 1) : 0ull); }
    __device__ static constexpr T lowest() { return min(); }
};
template <> struct numeric_limits<char> : __integer_limits<char, true> { };
template <> struct numeric_limits<signed char> : __integer_limits<signed char, true> { };
template <> struct numeric_limits<unsigned char> : __integer_limits<unsigned char, false> { };
template <> struct numeric_limits<short> : __integer_limits<short, true> { };
template <> struct numeric_limits<unsigned short> : __integer_limits<unsigned short, false> { };
template <> struct numeric_limits<int> : __integer_limits<int, true> { };
template <> struct numeric_limits<unsigned> : __integer_limits<unsigned, false> { };
template <> struct numeric_limits<long> : __integer_limits<long, true> { };
template <> struct numeric_limits<unsigned long> : __integer_limits<unsigned long, false> { };
template <> struct numeric_limits<long long> : __integer_limits<long long, true> { };
template <> struct numeric_limits<unsigned long long> : __integer_limits<unsigned long long, false> { };

template <typename T> __device__ constexpr void swap(T& a, T& b) { T kept = a; a = b; b = kept; }
template <typename T> __device__ constexpr const T& clamp(const T& v, const T& least, const T& most) { return v < least ? least : most < v ? most : v; }

struct true_type { static constexpr bool value = true; };
struct false_type { static constexpr bool value = false; };
template <typename T, T v> struct integral_constant { static constexpr T value = v; };
template <typename A, typename B> struct is_same : false_type { };
template <typename A> struct is_same<A, A> : true_type { };
template <typename A, typename B> constexpr bool is_same_v = is_same<A, B>::value;
template <bool is, typename T = void> struct enable_if { };
template <typename T> struct enable_if<true, T> { using type = T; };
template <bool is, typename T = void> using enable_if_t = typename enable_if<is, T>::type;
template <bool is, typename A, typename B> struct conditional { using type = A; };
template <typename A, typename B> struct conditional<false, A, B> { using type = B; };
template <bool is, typename A, typename B> using conditional_t = typename conditional<is, A, B>::type;
template <typename T> struct remove_const { using type = T; };
template <typename T> struct remove_const<const T> { using type = T; };
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> struct remove_reference { using type = T; };
template <typename T> struct remove_reference<T&> { using type = T; };
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_cv_t = typename remove_const<T>::type;
template <typename T> using remove_cvref_t = typename remove_const<typename remove_reference<T>::type>::type;
template <typename T> using decay_t = typename remove_const<typename remove_reference<T>::type>::type;
template <typename T> struct is_floating_point : false_type { };
template <> struct is_floating_point<float> : true_type { };
template <> struct is_floating_point<double> : true_type { };
template <typename T> constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T> struct is_integral : false_type { };
template <> struct is_integral<bool> : true_type { };
template <> struct is_integral<char> : true_type { };
template <> struct is_integral<signed char> : true_type { };
template <> struct is_integral<unsigned char> : true_type { };
template <> struct is_integral<short> : true_type { };
template <> struct is_integral<unsigned short> : true_type { };
template <> struct is_integral<int> : true_type { };
template <> struct is_integral<unsigned> : true_type { };
template <> struct is_integral<long> : true_type { };
template <> struct is_integral<unsigned long> : true_type { };
template <> struct is_integral<long long> : true_type { };
template <> struct is_integral<unsigned long long> : true_type { };
template <typename T> constexpr bool is_integral_v = is_integral<T>::value;

template <typename T = void> struct plus { template <typename A, typename B> __device__ constexpr auto operator()(const A& a, const B& b) const { return a + b; } };
template <typename T = void> struct minus { template <typename A, typename B> __device__ constexpr auto operator()(const A& a, const B& b) const { return a - b; } };
template <typename T = void> struct multiplies { template <typename A, typename B> __device__ constexpr auto operator()(const A& a, const B& b) const { return a * b; } };
template <typename T = void> struct less { template <typename A, typename B> __device__ constexpr bool operator()(const A& a, const B& b) const { return a < b; } };
template <typename T = void> struct greater { template <typename A, typename B> __device__ constexpr bool operator()(const A& a, const B& b) const { return a > b; } };

template <typename T, size_t n> struct array {
    using value_type = T;
    T __elements[n];
    __device__ constexpr T& operator[](size_t at) { return __elements[at]; }
    __device__ constexpr const T& operator[](size_t at) const { return __elements[at]; }
    __device__ constexpr T& front() { return __elements[0]; }
    __device__ constexpr const T& front() const { return __elements[0]; }
    __device__ constexpr T& back() { return __elements[n - 1]; }
    __device__ constexpr const T& back() const { return __elements[n - 1]; }
    __device__ constexpr T* data() { return __elements; }
    __device__ constexpr const T* data() const { return __elements; }
    __device__ constexpr T* begin() { return __elements; }
    __device__ constexpr const T* begin() const { return __elements; }
    __device__ constexpr T* end() { return __elements + n; }
    __device__ constexpr const T* end() const { return __elements + n; }
    __device__ static constexpr size_t size() { return n; }
    __device__ static constexpr bool empty() { return n == 0; }
    __device__ constexpr void fill(const T& v) { for (size_t i = 0; i < n; i++) __elements[i] = v; }
};

constexpr size_t dynamic_extent = ~(size_t)0;
template <typename T, size_t extent = dynamic_extent> struct span {
    T* __data;
    size_t __size;
    __device__ constexpr span() : __data(nullptr), __size(0) { }
    __device__ constexpr span(T* data, size_t size) : __data(data), __size(size) { }
    __device__ constexpr T& operator[](size_t at) const { return __data[at]; }
    __device__ constexpr T& front() const { return __data[0]; }
    __device__ constexpr T& back() const { return __data[__size - 1]; }
    __device__ constexpr T* data() const { return __data; }
    __device__ constexpr T* begin() const { return __data; }
    __device__ constexpr T* end() const { return __data + __size; }
    __device__ constexpr size_t size() const { return __size; }
    __device__ constexpr size_t size_bytes() const { return __size * sizeof(T); }
    __device__ constexpr bool empty() const { return __size == 0; }
    __device__ constexpr span<T> first(size_t count) const { return span<T>(__data, count); }
    __device__ constexpr span<T> last(size_t count) const { return span<T>(__data + __size - count, count); }
    __device__ constexpr span<T> subspan(size_t from, size_t count = dynamic_extent) const { return span<T>(__data + from, count == dynamic_extent ? __size - from : count); }
};

struct nullopt_t { };
constexpr nullopt_t nullopt{};
template <typename T> struct optional {
    T __value;
    bool __is;
    __device__ constexpr optional() : __is(false) { }
    __device__ constexpr optional(nullopt_t) : __is(false) { }
    __device__ constexpr optional(T v) : __value(v), __is(true) { }
    __device__ constexpr bool has_value() const { return __is; }
    __device__ constexpr explicit operator bool() const { return __is; }
    __device__ constexpr T& value() { return __value; }
    __device__ constexpr const T& value() const { return __value; }
    __device__ constexpr T& operator*() { return __value; }
    __device__ constexpr const T& operator*() const { return __value; }
    __device__ constexpr T* operator->() { return &__value; }
    __device__ constexpr T value_or(T other) const { return __is ? __value : other; }
    __device__ constexpr void reset() { __is = false; }
};

template <typename A, typename B> struct pair {
    using first_type = A;
    using second_type = B;
    A first;
    B second;
};
template <typename A, typename B> __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>{a, b}; }

template <typename... T> struct tuple { };
template <typename A> struct tuple<A> { A __0; };
template <typename A, typename B> struct tuple<A, B> { A __0; B __1; };
template <typename A, typename B, typename C> struct tuple<A, B, C> { A __0; B __1; C __2; };
template <typename A, typename B, typename C, typename D> struct tuple<A, B, C, D> { A __0; B __1; C __2; D __3; };
template <typename... T> __device__ constexpr tuple<T...> make_tuple(T... v) { return tuple<T...>{v...}; }
template <size_t at, typename A, typename... T> struct __nth { using type = typename __nth<at - 1, T...>::type; };
template <typename A, typename... T> struct __nth<0, A, T...> { using type = A; };
template <int at, typename... T> __device__ constexpr typename __nth<at, T...>::type& get(tuple<T...>& of)
{
    if constexpr (at == 0)
        return of.__0;
    else if constexpr (at == 1)
        return of.__1;
    else if constexpr (at == 2)
        return of.__2;
    else
        return of.__3;
}
template <int at, typename... T> __device__ constexpr typename __nth<at, T...>::type get(tuple<T...>&& of) { return get<at>(of); }
template <int at, typename A, typename B> __device__ constexpr typename __nth<at, A, B>::type& get(pair<A, B>& of)
{
    if constexpr (at == 0)
        return of.first;
    else
        return of.second;
}
template <int at, typename T, size_t n> __device__ constexpr T& get(array<T, n>& of) { return of[at]; }

template <typename T> struct complex {
    T __re, __im;
    __device__ constexpr complex(T re = T(), T im = T()) : __re(re), __im(im) { }
    __device__ constexpr T real() const { return __re; }
    __device__ constexpr T imag() const { return __im; }
    __device__ constexpr void real(T v) { __re = v; }
    __device__ constexpr void imag(T v) { __im = v; }
    __device__ constexpr complex& operator+=(const complex& b) { __re += b.__re; __im += b.__im; return *this; }
    __device__ constexpr complex& operator-=(const complex& b) { __re -= b.__re; __im -= b.__im; return *this; }
    template <typename U> __device__ constexpr complex& operator*=(const complex<U>& b) { *this = *this * b; return *this; }
    template <typename U> __device__ constexpr complex& operator/=(const complex<U>& b) { *this = *this / b; return *this; }
    __device__ constexpr complex& operator*=(T b) { __re *= b; __im *= b; return *this; }
    __device__ constexpr complex& operator/=(T b) { __re /= b; __im /= b; return *this; }
};
template <typename T> __device__ constexpr complex<T> operator+(complex<T> a, const complex<T>& b) { a += b; return a; }
template <typename T> __device__ constexpr complex<T> operator-(complex<T> a, const complex<T>& b) { a -= b; return a; }
template <typename T> __device__ constexpr complex<T> operator-(const complex<T>& a) { return complex<T>(-a.__re, -a.__im); }
// Each product is rounded. Where both parts are no number but a factor is infinite, so is what comes out.
template <typename T> __device__ constexpr T __zero_if_nan(T v) { return isnan(v) ? copysign((T)0, v) : v; }
template <typename T> __device__ constexpr T __one_if_infinite(T v) { return copysign(isinf(v) ? (T)1 : (T)0, v); }
template <typename T> __device__ inline complex<T> operator*(const complex<T>& x, const complex<T>& y)
{
    T a = x.__re, b = x.__im, c = y.__re, d = y.__im;
    const T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    T re = ac - bd, im = ad + bc;
    if (isnan(re) && isnan(im)) {
        bool is_infinite = false;
        if (isinf(a) || isinf(b)) {
            a = __one_if_infinite(a);
            b = __one_if_infinite(b);
            c = __zero_if_nan(c);
            d = __zero_if_nan(d);
            is_infinite = true;
        }
        if (isinf(c) || isinf(d)) {
            c = __one_if_infinite(c);
            d = __one_if_infinite(d);
            a = __zero_if_nan(a);
            b = __zero_if_nan(b);
            is_infinite = true;
        }
        if (!is_infinite && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {
            a = __zero_if_nan(a);
            b = __zero_if_nan(b);
            c = __zero_if_nan(c);
            d = __zero_if_nan(d);
            is_infinite = true;
        }
        if (is_infinite) {
            re = numeric_limits<T>::infinity() * (a * c - b * d);
            im = numeric_limits<T>::infinity() * (a * d + b * c);
        }
    }
    return complex<T>(re, im);
}
template <typename T> __device__ constexpr complex<T> operator*(complex<T> a, T b) { a *= b; return a; }
template <typename T> __device__ constexpr complex<T> operator*(T b, complex<T> a) { a *= b; return a; }
template <typename T> __device__ constexpr complex<T> operator/(complex<T> a, T b) { a /= b; return a; }
template <typename T> __device__ constexpr bool operator==(const complex<T>& a, const complex<T>& b) { return a.__re == b.__re && a.__im == b.__im; }
template <typename T> __device__ constexpr bool operator!=(const complex<T>& a, const complex<T>& b) { return !(a == b); }
} }

// Beside the functions of numbers that have these names.
template <typename T> __device__ constexpr cuda::std::complex<T> conj(const cuda::std::complex<T>& a) { return cuda::std::complex<T>(a.__re, -a.__im); }
template <typename T> __device__ constexpr T norm(const cuda::std::complex<T>& a)
{
    if (isinf(a.__re))
        return fabs(a.__re);
    if (isinf(a.__im))
        return fabs(a.__im);
    return a.__re * a.__re + a.__im * a.__im;
}
template <typename T> __device__ constexpr T real(const cuda::std::complex<T>& a) { return a.__re; }
template <typename T> __device__ constexpr T imag(const cuda::std::complex<T>& a) { return a.__im; }
