// The type bfloat16: its conversions and arithmetic, each the PTX that it is. Its instructions are of compute_80.
// A float that was rounded to zero, made odd where that was not exact: rounded once more it is rounded as if once.
__device__ inline float __float_of_odd(float v, bool is_exact) { return is_exact ? v : __uint_as_float(__float_as_uint(v) | 1); }
struct __align__(2) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __device__ __nv_bfloat16(float value) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(__x) : "f"(value)); }
    __device__ __nv_bfloat16(double value) { *this = __bfloat16_of(value); }
    __device__ __nv_bfloat16(int value) { *this = __nv_bfloat16(__float_of_odd(__int2float_rz(value), __int2float_rd(value) == __int2float_ru(value))); }
    __device__ __nv_bfloat16(unsigned value) { *this = __nv_bfloat16(__float_of_odd(__uint2float_rz(value), __uint2float_rd(value) == __uint2float_ru(value))); }
    __device__ __nv_bfloat16(long long value) { *this = __nv_bfloat16(__float_of_odd(__ll2float_rz(value), __ll2float_rd(value) == __ll2float_ru(value))); }
    __device__ __nv_bfloat16(unsigned long long value) { *this = __nv_bfloat16(__float_of_odd(__ull2float_rz(value), __ull2float_rd(value) == __ull2float_ru(value))); }
    __device__ operator float() const { float value; asm("mov.b32 %0, {0, %1};" : "=f"(value) : "h"(__x)); return value; }
    __device__ operator bool() const { return (__x & 0x7fff) != 0; }
    __device__ operator signed char() const { return (signed char)min(max(__float2int_rz((float)*this), -128), 127); }
    __device__ operator unsigned char() const { return (unsigned char)min(max(__float2int_rz((float)*this), 0), 255); }
    __device__ operator char() const { return (signed char)*this; }
    __device__ operator short() const { short value; asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(value) : "f"((float)*this)); return value; }
    __device__ operator unsigned short() const { unsigned short value; asm("cvt.rzi.u16.f32 %0, %1;" : "=h"(value) : "f"((float)*this)); return value; }
    __device__ operator int() const { return __float2int_rz((float)*this); }
    __device__ operator unsigned() const { return __float2uint_rz((float)*this); }
    __device__ operator long() const { return __float2ll_rz((float)*this); }
    __device__ operator unsigned long() const { return __float2ull_rz((float)*this); }
    __device__ operator long long() const { return __float2ll_rz((float)*this); }
    __device__ operator unsigned long long() const { return __float2ull_rz((float)*this); }
    __device__ __nv_bfloat16& operator+=(const __nv_bfloat16& other) { *this = __hadd(*this, other); return *this; }
    __device__ __nv_bfloat16& operator-=(const __nv_bfloat16& other) { *this = __hsub(*this, other); return *this; }
    __device__ __nv_bfloat16& operator*=(const __nv_bfloat16& other) { *this = __hmul(*this, other); return *this; }
    __device__ __nv_bfloat16& operator/=(const __nv_bfloat16& other) { *this = __hdiv(*this, other); return *this; }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __device__ __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high) { x = low; y = high; }
    __device__ __nv_bfloat162& operator+=(const __nv_bfloat162& other) { *this = __hadd2(*this, other); return *this; }
    __device__ __nv_bfloat162& operator-=(const __nv_bfloat162& other) { *this = __hsub2(*this, other); return *this; }
    __device__ __nv_bfloat162& operator*=(const __nv_bfloat162& other) { *this = __hmul2(*this, other); return *this; }
};
typedef __nv_bfloat162 nv_bfloat162;
__device__ inline unsigned __bfloat162_bits(const __nv_bfloat162& v) { unsigned r; asm("mov.b32 %0, {%1, %2};" : "=r"(r) : "h"(v.x.__x), "h"(v.y.__x)); return r; }
__device__ inline __nv_bfloat162 __bits_bfloat162(unsigned v) { __nv_bfloat162 r; asm("mov.b32 {%0, %1}, %2;" : "=h"(r.x.__x), "=h"(r.y.__x) : "r"(v)); return r; }
__device__ inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { __nv_bfloat16 r; r.__x = v; return r; }
__device__ inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.__x; }
__device__ inline float __bfloat162float(__nv_bfloat16 v) { float r; asm("mov.b32 %0, {0, %1};" : "=f"(r) : "h"(v.__x)); return r; }
__device__ inline __nv_bfloat16 __float2bfloat16(float v) { __nv_bfloat16 r; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.__x) : "f"(v)); return r; }
__device__ inline __nv_bfloat16 __float2bfloat16_rn(float v) { __nv_bfloat16 r; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.__x) : "f"(v)); return r; }
__device__ inline __nv_bfloat16 __float2bfloat16_rz(float v) { __nv_bfloat16 r; asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(r.__x) : "f"(v)); return r; }
__device__ inline __nv_bfloat16 __bfloat16_of(double v) { const float z = __double2float_rz(v); return __float2bfloat16(__float_of_odd(z, (double)z == v)); }
__device__ inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat162 r; r.x = a; r.y = b; return r; }
__device__ inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat162 r; r.x = a; r.y = b; return r; }
__device__ inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { __nv_bfloat162 r; r.x = a; r.y = a; return r; }
__device__ inline __nv_bfloat162 __float2bfloat162_rn(float v) { return __bfloat162bfloat162(__float2bfloat16(v)); }
__device__ inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __halves2bfloat162(__float2bfloat16(a), __float2bfloat16(b)); }
__device__ inline __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
__device__ inline float2 __bfloat1622float2(__nv_bfloat162 v) { float2 r; r.x = __bfloat162float(v.x); r.y = __bfloat162float(v.y); return r; }
__device__ inline float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
__device__ inline float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
__device__ inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
__device__ inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
__device__ inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { __nv_bfloat16 r; asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); return r; }
__device__ inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { unsigned r; asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(__bfloat162_bits(a)), "r"(__bfloat162_bits(b)), "r"(__bfloat162_bits(c))); return __bits_bfloat162(r); }
__device__ inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, __ushort_as_bfloat16(0x3f80), b); }
__device__ inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, __ushort_as_bfloat16(0xbf80), a); }
__device__ inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, __ushort_as_bfloat16(0x8000)); }
__device__ inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, __bits_bfloat162(0x3f803f80u), b); }
__device__ inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(b, __bits_bfloat162(0xbf80bf80u), a); }
__device__ inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, b, __bits_bfloat162(0x80008000u)); }
__device__ inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b)
{
    const float x = __bfloat162float(a), y = __bfloat162float(b);
    const bool is_large = fabsf(y) >= __int_as_float(0x7e800000);
    const float quotient = __fdividef(x, is_large ? y * 0.25f : y);
    return __float2bfloat16(is_large ? __fmaf_rn(quotient, 0.25f, -0.0f) : quotient);
}
__device__ inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { __nv_bfloat16 r; asm("neg.bf16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
__device__ inline __nv_bfloat16 __habs(__nv_bfloat16 a) { __nv_bfloat16 r; asm("abs.bf16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
__device__ inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat16 r; asm("max.bf16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat16 r; asm("min.bf16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) == __bfloat162float(b); }
__device__ inline bool operator==(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __bfloat162float(a) == __bfloat162float(b); }
__device__ inline bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) < __bfloat162float(b) || __bfloat162float(a) > __bfloat162float(b); }
__device__ inline bool operator!=(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __bfloat162float(a) != __bfloat162float(b); }
__device__ inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) < __bfloat162float(b); }
__device__ inline bool operator<(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __bfloat162float(a) < __bfloat162float(b); }
__device__ inline bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) <= __bfloat162float(b); }
__device__ inline bool operator<=(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __bfloat162float(a) <= __bfloat162float(b); }
__device__ inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) > __bfloat162float(b); }
__device__ inline bool operator>(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __bfloat162float(a) > __bfloat162float(b); }
__device__ inline bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) >= __bfloat162float(b); }
__device__ inline bool operator>=(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __bfloat162float(a) >= __bfloat162float(b); }
__device__ inline bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
__device__ inline __nv_bfloat16 operator+(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __hadd(a, b); }
__device__ inline __nv_bfloat162 operator+(const __nv_bfloat162& a, const __nv_bfloat162& b) { return __hadd2(a, b); }
__device__ inline __nv_bfloat16 operator-(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __hsub(a, b); }
__device__ inline __nv_bfloat162 operator-(const __nv_bfloat162& a, const __nv_bfloat162& b) { return __hsub2(a, b); }
__device__ inline __nv_bfloat16 operator*(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __hmul(a, b); }
__device__ inline __nv_bfloat162 operator*(const __nv_bfloat162& a, const __nv_bfloat162& b) { return __hmul2(a, b); }
__device__ inline __nv_bfloat16 operator/(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __hdiv(a, b); }
__device__ inline __nv_bfloat16 operator-(const __nv_bfloat16& a) { return __hneg(a); }
__device__ inline __nv_bfloat16 operator+(const __nv_bfloat16& a) { return a; }
__device__ inline __nv_bfloat162 operator+(const __nv_bfloat162& a) { return a; }
__device__ inline __nv_bfloat16 __shfl_sync(unsigned mask, __nv_bfloat16 v, int lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_sync(mask, (unsigned)v.__x, lane, width)); }
__device__ inline __nv_bfloat16 __shfl_up_sync(unsigned mask, __nv_bfloat16 v, unsigned lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_up_sync(mask, (unsigned)v.__x, lane, width)); }
__device__ inline __nv_bfloat16 __shfl_down_sync(unsigned mask, __nv_bfloat16 v, unsigned lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_down_sync(mask, (unsigned)v.__x, lane, width)); }
__device__ inline __nv_bfloat16 __shfl_xor_sync(unsigned mask, __nv_bfloat16 v, int lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_xor_sync(mask, (unsigned)v.__x, lane, width)); }
__device__ inline __nv_bfloat162 __shfl_sync(unsigned mask, __nv_bfloat162 v, int lane, int width = 32) { return __bits_bfloat162(__shfl_sync(mask, __bfloat162_bits(v), lane, width)); }
__device__ inline __nv_bfloat162 __shfl_up_sync(unsigned mask, __nv_bfloat162 v, unsigned lane, int width = 32) { return __bits_bfloat162(__shfl_up_sync(mask, __bfloat162_bits(v), lane, width)); }
__device__ inline __nv_bfloat162 __shfl_down_sync(unsigned mask, __nv_bfloat162 v, unsigned lane, int width = 32) { return __bits_bfloat162(__shfl_down_sync(mask, __bfloat162_bits(v), lane, width)); }
__device__ inline __nv_bfloat162 __shfl_xor_sync(unsigned mask, __nv_bfloat162 v, int lane, int width = 32) { return __bits_bfloat162(__shfl_xor_sync(mask, __bfloat162_bits(v), lane, width)); }
__device__ inline __nv_bfloat16 __ldg(const __nv_bfloat16* from) { return __ushort_as_bfloat16(__ldg((const unsigned short*)from)); }
__device__ inline __nv_bfloat162 __ldg(const __nv_bfloat162* from) { return __bits_bfloat162(__ldg((const unsigned*)from)); }
__device__ inline __nv_bfloat162 operator/(const __nv_bfloat162& a, const __nv_bfloat162& b) { return __halves2bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__device__ inline __nv_bfloat162 operator-(const __nv_bfloat162& a) { return __halves2bfloat162(__hneg(a.x), __hneg(a.y)); }
__device__ inline __nv_bfloat16& operator++(__nv_bfloat16& a) { a += __ushort_as_bfloat16(0x3f80); return a; }
__device__ inline __nv_bfloat16 operator++(__nv_bfloat16& a, int) { const __nv_bfloat16 before = a; a += __ushort_as_bfloat16(0x3f80); return before; }
__device__ inline __nv_bfloat16& operator--(__nv_bfloat16& a) { a -= __ushort_as_bfloat16(0x3f80); return a; }
__device__ inline __nv_bfloat16 operator--(__nv_bfloat16& a, int) { const __nv_bfloat16 before = a; a -= __ushort_as_bfloat16(0x3f80); return before; }
__device__ inline __nv_bfloat162& operator++(__nv_bfloat162& a) { a += __bits_bfloat162(0x3f803f80u); return a; }
__device__ inline __nv_bfloat162 operator++(__nv_bfloat162& a, int) { const __nv_bfloat162 before = a; a += __bits_bfloat162(0x3f803f80u); return before; }
__device__ inline __nv_bfloat162& operator--(__nv_bfloat162& a) { a -= __bits_bfloat162(0x3f803f80u); return a; }
__device__ inline __nv_bfloat162 operator--(__nv_bfloat162& a, int) { const __nv_bfloat162 before = a; a -= __bits_bfloat162(0x3f803f80u); return before; }
