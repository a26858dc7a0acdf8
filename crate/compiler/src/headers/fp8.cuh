// Floats of eight bits: e4m3 and e5m2. They are rounded by steps that all architectures have; the results are those of the
// instructions of compute_89.
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef __half __half_raw;
typedef __half2 __half2_raw;
typedef __nv_bfloat16 __nv_bfloat16_raw;
typedef __nv_bfloat162 __nv_bfloat162_raw;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

__device__ inline __nv_fp8_storage_t __fp8_of(double x, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind)
{
    const bool is_e4m3 = kind == __NV_E4M3;
    const unsigned sign = ((unsigned)__double2hiint(x) >> 24) & 0x80;
    const double size = fabs(x);
    if (!(size <= __longlong_as_double(0x7ff0000000000000)))
        return (__nv_fp8_storage_t)(0x7f);
    // The number in steps of the eight bits' last place; a carry goes into the exponent by itself.
    const int least = is_e4m3 ? -6 : -14, places = is_e4m3 ? 3 : 2;
    const int exponent = min(max((__double2hiint(size) >> 20) - 1023, least), 20);
    const double steps = rint(fmin(size, 1e6) * __hiloint2double((1023 + places - exponent) << 20, 0));
    int bits = ((exponent - least) << places) + (int)steps;
    const int largest = is_e4m3 ? 0x7e : 0x7b;
    if (bits > largest)
        bits = saturates == __NV_SATFINITE ? largest : largest + 1;
    return (__nv_fp8_storage_t)(sign | bits);
}
// No number keeps its sign if it is a double, and of e5m2 the first bits.
__device__ inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind)
{
    const unsigned high = __double2hiint(x);
    if (x != x)
        return (__nv_fp8_storage_t)((high >> 24 & 0x80) | (kind == __NV_E4M3 ? 0x7f : 0x7e | (high >> 18 & 3)));
    return __fp8_of(x, saturates, kind);
}
__device__ inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind) { return __fp8_of((double)x, saturates, kind); }
__device__ inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half x, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind) { return __fp8_of((double)__half2float(x), saturates, kind); }
__device__ inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16 x, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind) { return __fp8_of((double)__bfloat162float(x), saturates, kind); }
__device__ inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind) { return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(v.y, saturates, kind) << 8 | __nv_cvt_double_to_fp8(v.x, saturates, kind)); }
__device__ inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind) { return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.y, saturates, kind) << 8 | __nv_cvt_float_to_fp8(v.x, saturates, kind)); }
__device__ inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2 v, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind) { return (__nv_fp8x2_storage_t)(__nv_cvt_halfraw_to_fp8(v.y, saturates, kind) << 8 | __nv_cvt_halfraw_to_fp8(v.x, saturates, kind)); }
__device__ inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162 v, __nv_saturation_t saturates, __nv_fp8_interpretation_t kind) { return (__nv_fp8x2_storage_t)(__nv_cvt_bfloat16raw_to_fp8(v.y, saturates, kind) << 8 | __nv_cvt_bfloat16raw_to_fp8(v.x, saturates, kind)); }
__device__ inline __half __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind)
{
    const unsigned size = v & 0x7f, sign = (v & 0x80) << 8;
    if (kind == __NV_E5M2)
        return __ushort_as_half((unsigned short)(size > 0x7c ? 0x7fff : sign | size << 8));
    if (size == 0x7f)
        return __ushort_as_half(0x7fff);
    // The exponent begins 8 lower than that of half precision: a product with 2^8 mends it, also for subnormal numbers.
    const __half found = __hmul(__ushort_as_half((unsigned short)(size << 7)), __ushort_as_half(0x5c00));
    return __ushort_as_half((unsigned short)(sign | found.__x));
}
__device__ inline __half2 __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) { return __halves2half2(__nv_cvt_fp8_to_halfraw((unsigned char)v, kind), __nv_cvt_fp8_to_halfraw((unsigned char)(v >> 8), kind)); }
struct __nv_fp8_e4m3 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e4m3() = default;
    __device__ __nv_fp8_e4m3(float v) { __x = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3); }
    __device__ __nv_fp8_e4m3(double v) { __x = __nv_cvt_double_to_fp8(v, __NV_SATFINITE, __NV_E4M3); }
    __device__ __nv_fp8_e4m3(int v) { __x = __nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, __NV_E4M3); }
    __device__ __nv_fp8_e4m3(unsigned v) { __x = __nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, __NV_E4M3); }
    __device__ __nv_fp8_e4m3(const __half& v) { __x = __nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, __NV_E4M3); }
    __device__ __nv_fp8_e4m3(const __nv_bfloat16& v) { __x = __nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, __NV_E4M3); }
    __device__ operator float() const { return __half2float(__nv_cvt_fp8_to_halfraw(__x, __NV_E4M3)); }
    __device__ operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, __NV_E4M3); }
    __device__ operator __nv_bfloat16() const { return __float2bfloat16(__half2float(__nv_cvt_fp8_to_halfraw(__x, __NV_E4M3))); }
};
struct __align__(2) __nv_fp8x2_e4m3 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e4m3() = default;
    __device__ __nv_fp8x2_e4m3(const float2& v) { __x = __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, __NV_E4M3); }
    __device__ __nv_fp8x2_e4m3(const double2& v) { __x = __nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, __NV_E4M3); }
    __device__ __nv_fp8x2_e4m3(const __half2& v) { __x = __nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, __NV_E4M3); }
    __device__ __nv_fp8x2_e4m3(const __nv_bfloat162& v) { __x = __nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, __NV_E4M3); }
    __device__ operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, __NV_E4M3); }
    __device__ operator float2() const { return __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E4M3)); }
};
struct __align__(4) __nv_fp8x4_e4m3 {
    __nv_fp8x4_storage_t __x;
    __nv_fp8x4_e4m3() = default;
    __device__ __nv_fp8x4_e4m3(const float4& v) { __x = __nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, __NV_E4M3) | (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, __NV_E4M3) << 16; }
    __device__ __nv_fp8x4_e4m3(const __half2& low, const __half2& high) { __x = __nv_cvt_halfraw2_to_fp8x2(low, __NV_SATFINITE, __NV_E4M3) | (unsigned)__nv_cvt_halfraw2_to_fp8x2(high, __NV_SATFINITE, __NV_E4M3) << 16; }
    __device__ operator float4() const
    {
        const float2 low = __half22float2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)__x, __NV_E4M3)), high = __half22float2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)(__x >> 16), __NV_E4M3));
        return make_float4(low.x, low.y, high.x, high.y);
    }
};
struct __nv_fp8_e5m2 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e5m2() = default;
    __device__ __nv_fp8_e5m2(float v) { __x = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E5M2); }
    __device__ __nv_fp8_e5m2(double v) { __x = __nv_cvt_double_to_fp8(v, __NV_SATFINITE, __NV_E5M2); }
    __device__ __nv_fp8_e5m2(int v) { __x = __nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, __NV_E5M2); }
    __device__ __nv_fp8_e5m2(unsigned v) { __x = __nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, __NV_E5M2); }
    __device__ __nv_fp8_e5m2(const __half& v) { __x = __nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, __NV_E5M2); }
    __device__ __nv_fp8_e5m2(const __nv_bfloat16& v) { __x = __nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, __NV_E5M2); }
    __device__ operator float() const { return __half2float(__nv_cvt_fp8_to_halfraw(__x, __NV_E5M2)); }
    __device__ operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, __NV_E5M2); }
    __device__ operator __nv_bfloat16() const { return __float2bfloat16(__half2float(__nv_cvt_fp8_to_halfraw(__x, __NV_E5M2))); }
};
struct __align__(2) __nv_fp8x2_e5m2 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e5m2() = default;
    __device__ __nv_fp8x2_e5m2(const float2& v) { __x = __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, __NV_E5M2); }
    __device__ __nv_fp8x2_e5m2(const double2& v) { __x = __nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, __NV_E5M2); }
    __device__ __nv_fp8x2_e5m2(const __half2& v) { __x = __nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, __NV_E5M2); }
    __device__ __nv_fp8x2_e5m2(const __nv_bfloat162& v) { __x = __nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, __NV_E5M2); }
    __device__ operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, __NV_E5M2); }
    __device__ operator float2() const { return __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E5M2)); }
};
struct __align__(4) __nv_fp8x4_e5m2 {
    __nv_fp8x4_storage_t __x;
    __nv_fp8x4_e5m2() = default;
    __device__ __nv_fp8x4_e5m2(const float4& v) { __x = __nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, __NV_E5M2) | (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, __NV_E5M2) << 16; }
    __device__ __nv_fp8x4_e5m2(const __half2& low, const __half2& high) { __x = __nv_cvt_halfraw2_to_fp8x2(low, __NV_SATFINITE, __NV_E5M2) | (unsigned)__nv_cvt_halfraw2_to_fp8x2(high, __NV_SATFINITE, __NV_E5M2) << 16; }
    __device__ operator float4() const
    {
        const float2 low = __half22float2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)__x, __NV_E5M2)), high = __half22float2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)(__x >> 16), __NV_E5M2));
        return make_float4(low.x, low.y, high.x, high.y);
    }
};
