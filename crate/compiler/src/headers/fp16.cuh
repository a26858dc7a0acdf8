// Half precision: its types, conversions and arithmetic, each the PTX that it is.
struct __align__(2) __half {
    unsigned short __x;
    __half() = default;
    __device__ __half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(__x) : "f"(value)); }
    __device__ __half(double value) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(__x) : "d"(value)); }
    __device__ __half(int value) { asm("cvt.rn.f16.s32 %0, %1;" : "=h"(__x) : "r"(value)); }
    __device__ __half(unsigned value) { asm("cvt.rn.f16.u32 %0, %1;" : "=h"(__x) : "r"(value)); }
    __device__ __half(long long value) { asm("cvt.rn.f16.s64 %0, %1;" : "=h"(__x) : "l"(value)); }
    __device__ __half(unsigned long long value) { asm("cvt.rn.f16.u64 %0, %1;" : "=h"(__x) : "l"(value)); }
    __device__ operator float() const { float value; asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(__x)); return value; }
    __device__ operator bool() const { return (__x & 0x7fff) != 0; }
    __device__ operator signed char() const { return (signed char)min(max((int)*this, -128), 127); }
    __device__ operator unsigned char() const { return (unsigned char)min(max((int)*this, 0), 255); }
    __device__ operator char() const { return (signed char)*this; }
    __device__ operator short() const { short value; asm("cvt.rzi.s16.f16 %0, %1;" : "=h"(value) : "h"(__x)); return value; }
    __device__ operator unsigned short() const { unsigned short value; asm("cvt.rzi.u16.f16 %0, %1;" : "=h"(value) : "h"(__x)); return value; }
    __device__ operator int() const { int value; asm("cvt.rzi.s32.f16 %0, %1;" : "=r"(value) : "h"(__x)); return value; }
    __device__ operator unsigned() const { unsigned value; asm("cvt.rzi.u32.f16 %0, %1;" : "=r"(value) : "h"(__x)); return value; }
    __device__ operator long() const { long value; asm("cvt.rzi.s64.f16 %0, %1;" : "=l"(value) : "h"(__x)); return value; }
    __device__ operator unsigned long() const { unsigned long value; asm("cvt.rzi.u64.f16 %0, %1;" : "=l"(value) : "h"(__x)); return value; }
    __device__ operator long long() const { long long value; asm("cvt.rzi.s64.f16 %0, %1;" : "=l"(value) : "h"(__x)); return value; }
    __device__ operator unsigned long long() const { unsigned long long value; asm("cvt.rzi.u64.f16 %0, %1;" : "=l"(value) : "h"(__x)); return value; }
    __device__ __half& operator+=(const __half& other) { asm("add.f16 %0, %1, %2;" : "=h"(__x) : "h"(__x), "h"(other.__x)); return *this; }
    __device__ __half& operator-=(const __half& other) { asm("sub.f16 %0, %1, %2;" : "=h"(__x) : "h"(__x), "h"(other.__x)); return *this; }
    __device__ __half& operator*=(const __half& other) { asm("mul.f16 %0, %1, %2;" : "=h"(__x) : "h"(__x), "h"(other.__x)); return *this; }
    __device__ __half& operator/=(const __half& other) { *this = __hdiv(*this, other); return *this; }
};
typedef __half half;
typedef __half __nv_half;
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __device__ __half2(const __half& low, const __half& high) { x = low; y = high; }
    __device__ __half2& operator+=(const __half2& other) { *this = __hadd2(*this, other); return *this; }
    __device__ __half2& operator-=(const __half2& other) { *this = __hsub2(*this, other); return *this; }
    __device__ __half2& operator*=(const __half2& other) { *this = __hmul2(*this, other); return *this; }
};
typedef __half2 half2;
typedef __half2 __nv_half2;
__device__ inline unsigned __half2_bits(const __half2& v) { unsigned r; asm("mov.b32 %0, {%1, %2};" : "=r"(r) : "h"(v.x.__x), "h"(v.y.__x)); return r; }
__device__ inline __half2 __bits_half2(unsigned v) { __half2 r; asm("mov.b32 {%0, %1}, %2;" : "=h"(r.x.__x), "=h"(r.y.__x) : "r"(v)); return r; }
__device__ inline __half __ushort_as_half(unsigned short v) { __half r; r.__x = v; return r; }
__device__ inline __half __short_as_half(short v) { __half r; r.__x = (unsigned short)v; return r; }
__device__ inline unsigned short __half_as_ushort(__half v) { return v.__x; }
__device__ inline short __half_as_short(__half v) { return (short)v.__x; }
__device__ inline float __half2float(__half v) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v.__x)); return r; }
__device__ inline __half __float2half(float v) { __half r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.__x) : "f"(v)); return r; }
__device__ inline __half __float2half_rn(float v) { __half r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.__x) : "f"(v)); return r; }
__device__ inline __half __float2half_rz(float v) { __half r; asm("cvt.rz.f16.f32 %0, %1;" : "=h"(r.__x) : "f"(v)); return r; }
__device__ inline __half __float2half_rd(float v) { __half r; asm("cvt.rm.f16.f32 %0, %1;" : "=h"(r.__x) : "f"(v)); return r; }
__device__ inline __half __float2half_ru(float v) { __half r; asm("cvt.rp.f16.f32 %0, %1;" : "=h"(r.__x) : "f"(v)); return r; }
__device__ inline __half __double2half(double v) { __half r; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r.__x) : "d"(v)); return r; }
__device__ inline __half __int2half_rn(int v) { __half r; asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r.__x) : "r"(v)); return r; }
__device__ inline int __half2int_rn(__half v) { int r; asm("cvt.rni.s32.f16 %0, %1;" : "=r"(r) : "h"(v.__x)); return r; }
__device__ inline __half __int2half_rz(int v) { __half r; asm("cvt.rz.f16.s32 %0, %1;" : "=h"(r.__x) : "r"(v)); return r; }
__device__ inline int __half2int_rz(__half v) { int r; asm("cvt.rzi.s32.f16 %0, %1;" : "=r"(r) : "h"(v.__x)); return r; }
__device__ inline __half __int2half_rd(int v) { __half r; asm("cvt.rm.f16.s32 %0, %1;" : "=h"(r.__x) : "r"(v)); return r; }
__device__ inline int __half2int_rd(__half v) { int r; asm("cvt.rmi.s32.f16 %0, %1;" : "=r"(r) : "h"(v.__x)); return r; }
__device__ inline __half __int2half_ru(int v) { __half r; asm("cvt.rp.f16.s32 %0, %1;" : "=h"(r.__x) : "r"(v)); return r; }
__device__ inline int __half2int_ru(__half v) { int r; asm("cvt.rpi.s32.f16 %0, %1;" : "=r"(r) : "h"(v.__x)); return r; }
__device__ inline __half __uint2half_rn(unsigned v) { __half r; asm("cvt.rn.f16.u32 %0, %1;" : "=h"(r.__x) : "r"(v)); return r; }
__device__ inline unsigned __half2uint_rn(__half v) { unsigned r; asm("cvt.rni.u32.f16 %0, %1;" : "=r"(r) : "h"(v.__x)); return r; }
__device__ inline __half __uint2half_rz(unsigned v) { __half r; asm("cvt.rz.f16.u32 %0, %1;" : "=h"(r.__x) : "r"(v)); return r; }
__device__ inline unsigned __half2uint_rz(__half v) { unsigned r; asm("cvt.rzi.u32.f16 %0, %1;" : "=r"(r) : "h"(v.__x)); return r; }
__device__ inline __half __uint2half_rd(unsigned v) { __half r; asm("cvt.rm.f16.u32 %0, %1;" : "=h"(r.__x) : "r"(v)); return r; }
__device__ inline unsigned __half2uint_rd(__half v) { unsigned r; asm("cvt.rmi.u32.f16 %0, %1;" : "=r"(r) : "h"(v.__x)); return r; }
__device__ inline __half __uint2half_ru(unsigned v) { __half r; asm("cvt.rp.f16.u32 %0, %1;" : "=h"(r.__x) : "r"(v)); return r; }
__device__ inline unsigned __half2uint_ru(__half v) { unsigned r; asm("cvt.rpi.u32.f16 %0, %1;" : "=r"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ll2half_rn(long long v) { __half r; asm("cvt.rn.f16.s64 %0, %1;" : "=h"(r.__x) : "l"(v)); return r; }
__device__ inline long long __half2ll_rn(__half v) { long long r; asm("cvt.rni.s64.f16 %0, %1;" : "=l"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ll2half_rz(long long v) { __half r; asm("cvt.rz.f16.s64 %0, %1;" : "=h"(r.__x) : "l"(v)); return r; }
__device__ inline long long __half2ll_rz(__half v) { long long r; asm("cvt.rzi.s64.f16 %0, %1;" : "=l"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ll2half_rd(long long v) { __half r; asm("cvt.rm.f16.s64 %0, %1;" : "=h"(r.__x) : "l"(v)); return r; }
__device__ inline long long __half2ll_rd(__half v) { long long r; asm("cvt.rmi.s64.f16 %0, %1;" : "=l"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ll2half_ru(long long v) { __half r; asm("cvt.rp.f16.s64 %0, %1;" : "=h"(r.__x) : "l"(v)); return r; }
__device__ inline long long __half2ll_ru(__half v) { long long r; asm("cvt.rpi.s64.f16 %0, %1;" : "=l"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ull2half_rn(unsigned long long v) { __half r; asm("cvt.rn.f16.u64 %0, %1;" : "=h"(r.__x) : "l"(v)); return r; }
__device__ inline unsigned long long __half2ull_rn(__half v) { unsigned long long r; asm("cvt.rni.u64.f16 %0, %1;" : "=l"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ull2half_rz(unsigned long long v) { __half r; asm("cvt.rz.f16.u64 %0, %1;" : "=h"(r.__x) : "l"(v)); return r; }
__device__ inline unsigned long long __half2ull_rz(__half v) { unsigned long long r; asm("cvt.rzi.u64.f16 %0, %1;" : "=l"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ull2half_rd(unsigned long long v) { __half r; asm("cvt.rm.f16.u64 %0, %1;" : "=h"(r.__x) : "l"(v)); return r; }
__device__ inline unsigned long long __half2ull_rd(__half v) { unsigned long long r; asm("cvt.rmi.u64.f16 %0, %1;" : "=l"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ull2half_ru(unsigned long long v) { __half r; asm("cvt.rp.f16.u64 %0, %1;" : "=h"(r.__x) : "l"(v)); return r; }
__device__ inline unsigned long long __half2ull_ru(__half v) { unsigned long long r; asm("cvt.rpi.u64.f16 %0, %1;" : "=l"(r) : "h"(v.__x)); return r; }
__device__ inline __half __short2half_rn(short v) { __half r; asm("cvt.rn.f16.s16 %0, %1;" : "=h"(r.__x) : "h"(v)); return r; }
__device__ inline short __half2short_rn(__half v) { short r; asm("cvt.rni.s16.f16 %0, %1;" : "=h"(r) : "h"(v.__x)); return r; }
__device__ inline __half __short2half_rz(short v) { __half r; asm("cvt.rz.f16.s16 %0, %1;" : "=h"(r.__x) : "h"(v)); return r; }
__device__ inline short __half2short_rz(__half v) { short r; asm("cvt.rzi.s16.f16 %0, %1;" : "=h"(r) : "h"(v.__x)); return r; }
__device__ inline __half __short2half_rd(short v) { __half r; asm("cvt.rm.f16.s16 %0, %1;" : "=h"(r.__x) : "h"(v)); return r; }
__device__ inline short __half2short_rd(__half v) { short r; asm("cvt.rmi.s16.f16 %0, %1;" : "=h"(r) : "h"(v.__x)); return r; }
__device__ inline __half __short2half_ru(short v) { __half r; asm("cvt.rp.f16.s16 %0, %1;" : "=h"(r.__x) : "h"(v)); return r; }
__device__ inline short __half2short_ru(__half v) { short r; asm("cvt.rpi.s16.f16 %0, %1;" : "=h"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ushort2half_rn(unsigned short v) { __half r; asm("cvt.rn.f16.u16 %0, %1;" : "=h"(r.__x) : "h"(v)); return r; }
__device__ inline unsigned short __half2ushort_rn(__half v) { unsigned short r; asm("cvt.rni.u16.f16 %0, %1;" : "=h"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ushort2half_rz(unsigned short v) { __half r; asm("cvt.rz.f16.u16 %0, %1;" : "=h"(r.__x) : "h"(v)); return r; }
__device__ inline unsigned short __half2ushort_rz(__half v) { unsigned short r; asm("cvt.rzi.u16.f16 %0, %1;" : "=h"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ushort2half_rd(unsigned short v) { __half r; asm("cvt.rm.f16.u16 %0, %1;" : "=h"(r.__x) : "h"(v)); return r; }
__device__ inline unsigned short __half2ushort_rd(__half v) { unsigned short r; asm("cvt.rmi.u16.f16 %0, %1;" : "=h"(r) : "h"(v.__x)); return r; }
__device__ inline __half __ushort2half_ru(unsigned short v) { __half r; asm("cvt.rp.f16.u16 %0, %1;" : "=h"(r.__x) : "h"(v)); return r; }
__device__ inline unsigned short __half2ushort_ru(__half v) { unsigned short r; asm("cvt.rpi.u16.f16 %0, %1;" : "=h"(r) : "h"(v.__x)); return r; }
__device__ inline __half2 __halves2half2(__half a, __half b) { __half2 r; r.x = a; r.y = b; return r; }
__device__ inline __half2 make_half2(__half a, __half b) { __half2 r; r.x = a; r.y = b; return r; }
__device__ inline __half2 __half2half2(__half a) { __half2 r; r.x = a; r.y = a; return r; }
__device__ inline __half2 __float2half2_rn(float v) { return __half2half2(__float2half(v)); }
__device__ inline __half2 __floats2half2_rn(float a, float b) { return __halves2half2(__float2half(a), __float2half(b)); }
__device__ inline __half2 __float22half2_rn(float2 v) { return __halves2half2(__float2half(v.x), __float2half(v.y)); }
__device__ inline float2 __half22float2(__half2 v) { float2 r; r.x = __half2float(v.x); r.y = __half2float(v.y); return r; }
__device__ inline float __low2float(__half2 v) { return __half2float(v.x); }
__device__ inline float __high2float(__half2 v) { return __half2float(v.y); }
__device__ inline __half __low2half(__half2 v) { return v.x; }
__device__ inline __half __high2half(__half2 v) { return v.y; }
__device__ inline __half2 __low2half2(__half2 v) { return __half2half2(v.x); }
__device__ inline __half2 __high2half2(__half2 v) { return __half2half2(v.y); }
__device__ inline __half2 __lowhigh2highlow(__half2 v) { return __halves2half2(v.y, v.x); }
__device__ inline __half2 __lows2half2(__half2 a, __half2 b) { return __halves2half2(a.x, b.x); }
__device__ inline __half2 __highs2half2(__half2 a, __half2 b) { return __halves2half2(a.y, b.y); }
__device__ inline __half __hadd(__half a, __half b) { __half r; asm("add.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hadd2(__half2 a, __half2 b) { unsigned r; asm("add.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hadd_rn(__half a, __half b) { __half r; asm("add.rn.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hadd2_rn(__half2 a, __half2 b) { unsigned r; asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hadd_sat(__half a, __half b) { __half r; asm("add.sat.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hadd2_sat(__half2 a, __half2 b) { unsigned r; asm("add.sat.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hsub(__half a, __half b) { __half r; asm("sub.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hsub2(__half2 a, __half2 b) { unsigned r; asm("sub.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hsub_rn(__half a, __half b) { __half r; asm("sub.rn.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hsub2_rn(__half2 a, __half2 b) { unsigned r; asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hsub_sat(__half a, __half b) { __half r; asm("sub.sat.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hsub2_sat(__half2 a, __half2 b) { unsigned r; asm("sub.sat.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hmul(__half a, __half b) { __half r; asm("mul.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hmul2(__half2 a, __half2 b) { unsigned r; asm("mul.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hmul_rn(__half a, __half b) { __half r; asm("mul.rn.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hmul2_rn(__half2 a, __half2 b) { unsigned r; asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hmul_sat(__half a, __half b) { __half r; asm("mul.sat.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
__device__ inline __half2 __hmul2_sat(__half2 a, __half2 b) { unsigned r; asm("mul.sat.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline __half __hfma(__half a, __half b, __half c) { __half r; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); return r; }
__device__ inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { unsigned r; asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b)), "r"(__half2_bits(c))); return __bits_half2(r); }
__device__ inline __half __hfma_sat(__half a, __half b, __half c) { __half r; asm("fma.rn.sat.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); return r; }
__device__ inline __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { unsigned r; asm("fma.rn.sat.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b)), "r"(__half2_bits(c))); return __bits_half2(r); }
__device__ inline __half __hfma_relu(__half a, __half b, __half c) { __half r; asm("fma.rn.relu.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); return r; }
__device__ inline __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { unsigned r; asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b)), "r"(__half2_bits(c))); return __bits_half2(r); }
__device__ inline __half __hneg(__half a) { __half r; asm("neg.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
__device__ inline __half2 __hneg2(__half2 a) { unsigned r; asm("neg.f16x2 %0, %1;" : "=r"(r) : "r"(__half2_bits(a))); return __bits_half2(r); }
__device__ inline __half __habs(__half a) { __half r; asm("abs.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
__device__ inline __half2 __habs2(__half2 a) { unsigned r; asm("abs.f16x2 %0, %1;" : "=r"(r) : "r"(__half2_bits(a))); return __bits_half2(r); }
__device__ inline __half __hdiv(__half a, __half b) { float x = __half2float(a), y = __half2float(b), inverse; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(y)); float quotient = x * inverse; __half r = __float2half(quotient); __half size = __habs(r); if (__hlt(size, __ushort_as_half(0x008f)) && __hlt(__float2half(0.0f), size)) { float rest = __fmaf_rn(-y, quotient, x); r = __float2half(__fmaf_rn(inverse, rest, quotient)); } return r; }
__device__ inline __half2 __h2div(__half2 a, __half2 b) { return __halves2half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__device__ inline __half __hmax(__half a, __half b) { float r; asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(__half2float(a)), "f"(__half2float(b))); return __float2half(r); }
__device__ inline __half2 __hmax2(__half2 a, __half2 b) { return __halves2half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__device__ inline __half __hmin(__half a, __half b) { float r; asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(__half2float(a)), "f"(__half2float(b))); return __float2half(r); }
__device__ inline __half2 __hmin2(__half2 a, __half2 b) { return __halves2half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__device__ inline bool __heq(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.eq.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__device__ inline __half2 __heq2(__half2 a, __half2 b) { unsigned r; asm("set.eq.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hequ(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.equ.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbequ2(__half2 a, __half2 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
__device__ inline __half2 __hequ2(__half2 a, __half2 b) { unsigned r; asm("set.equ.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hne(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.ne.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__device__ inline __half2 __hne2(__half2 a, __half2 b) { unsigned r; asm("set.ne.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hneu(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.neu.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbneu2(__half2 a, __half2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
__device__ inline __half2 __hneu2(__half2 a, __half2 b) { unsigned r; asm("set.neu.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hlt(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__device__ inline __half2 __hlt2(__half2 a, __half2 b) { unsigned r; asm("set.lt.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hltu(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.ltu.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbltu2(__half2 a, __half2 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
__device__ inline __half2 __hltu2(__half2 a, __half2 b) { unsigned r; asm("set.ltu.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hle(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.le.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__device__ inline __half2 __hle2(__half2 a, __half2 b) { unsigned r; asm("set.le.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hleu(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.leu.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbleu2(__half2 a, __half2 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
__device__ inline __half2 __hleu2(__half2 a, __half2 b) { unsigned r; asm("set.leu.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hgt(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.gt.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__device__ inline __half2 __hgt2(__half2 a, __half2 b) { unsigned r; asm("set.gt.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hgtu(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.gtu.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbgtu2(__half2 a, __half2 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
__device__ inline __half2 __hgtu2(__half2 a, __half2 b) { unsigned r; asm("set.gtu.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hge(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.ge.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__device__ inline __half2 __hge2(__half2 a, __half2 b) { unsigned r; asm("set.ge.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hgeu(__half a, __half b) { unsigned short r; asm("{ .reg .pred p; setp.geu.f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return r != 0; }
__device__ inline bool __hbgeu2(__half2 a, __half2 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
__device__ inline __half2 __hgeu2(__half2 a, __half2 b) { unsigned r; asm("set.geu.f16x2.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__half2_bits(a)), "r"(__half2_bits(b))); return __bits_half2(r); }
__device__ inline bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
__device__ inline int __hisinf(__half a) { return a.__x == 0x7c00 ? 1 : a.__x == 0xfc00 ? -1 : 0; }
__device__ inline __half hfloor(__half a) { __half r; asm("cvt.rmi.f16.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
__device__ inline __half hceil(__half a) { __half r; asm("cvt.rpi.f16.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
__device__ inline __half htrunc(__half a) { __half r; asm("cvt.rzi.f16.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
__device__ inline __half hrint(__half a) { __half r; asm("cvt.rni.f16.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
__device__ inline __half hsqrt(__half a) { float r; asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(__half2float(a))); return __float2half(r); }
__device__ inline __half hrsqrt(__half a) { float r; asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(__half2float(a))); return __float2half(r); }
__device__ inline __half hrcp(__half a) { float r; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(__half2float(a))); return __float2half(r); }
// Where the half nearest to a float's result is not the half nearest to the true one: the argument's bits, and what is added.
__device__ inline __half __half_mended(__half of, unsigned short argument, unsigned short by, __half result)
{
    unsigned short r;
    asm("{ .reg .b16 p; set.eq.f16.f16 p, %1, %2; fma.rn.f16 %0, p, %3, %4; }" : "=h"(r) : "h"(of.__x), "h"(argument), "h"(by), "h"(result.__x));
    return __ushort_as_half(r);
}
__device__ inline __half hexp(__half a) { float v; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(__fmaf_rn(__half2float(a), __int_as_float(0x3fb8aa3b), -0.0f))); __half r = __float2half(v); r = __half_mended(a, 0x1f79, 0x9400, r); r = __half_mended(a, 0x25cf, 0x9400, r); r = __half_mended(a, 0xc13b, 0x0400, r); r = __half_mended(a, 0xc1ef, 0x0200, r); return r; }
__device__ inline __half hlog(__half a) { float v; asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(__half2float(a))); __half r = __float2half(v * __int_as_float(0x3f317218)); r = __half_mended(a, 0x160d, 0x9c00, r); r = __half_mended(a, 0x3bfe, 0x8010, r); r = __half_mended(a, 0x3c0b, 0x8080, r); r = __half_mended(a, 0x6051, 0x1c00, r); return r; }
__device__ inline __half hexp2(__half a) { float v; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(__half2float(a))); return __float2half(__fmaf_rn(v, __int_as_float(0x33800000), v)); }
__device__ inline __half hexp10(__half a) { float v; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(__fmaf_rn(__half2float(a), __int_as_float(0x40549a78), -0.0f))); __half r = __float2half(v); r = __half_mended(a, 0x34de, 0x9800, r); r = __half_mended(a, 0x9766, 0x9000, r); r = __half_mended(a, 0x9972, 0x1000, r); r = __half_mended(a, 0xa5c4, 0x1000, r); r = __half_mended(a, 0xbf0a, 0x8100, r); return r; }
__device__ inline __half hlog2(__half a) { float v; asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(__half2float(a))); __half r = __float2half(v); r = __half_mended(r, 0xa2e2, 0x8080, r); r = __half_mended(r, 0xbf46, 0x9400, r); return r; }
__device__ inline __half hlog10(__half a) { float v; asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(__half2float(a))); __half r = __float2half(v * __int_as_float(0x3e9a209b)); r = __half_mended(a, 0x338f, 0x1000, r); r = __half_mended(a, 0x33f8, 0x9000, r); r = __half_mended(a, 0x57e1, 0x9800, r); r = __half_mended(a, 0x719d, 0x9c00, r); return r; }
// An angle's sine, or, a quarter turn further, its cosine; as a float.
__device__ inline float __half_sine(float x, int turn)
{
    const float shifted = __fmaf_rn(x, __int_as_float(0x3f22f983), 12582912.0f), k = __fsub_rn(shifted, 12582912.0f);
    const float r = __fmaf_rn(k, __int_as_float(0xb3a22168), __fmaf_rn(k, __int_as_float(0xbfc90fda), x)), z = __fmul_rn(r, r);
    const int quadrant = (__float_as_int(shifted) & 3) + turn;
    const bool is_cosine = (quadrant & 1) != 0;
    float sum = __fmaf_rn(__int_as_float(is_cosine ? 0x37ccf5ce : 0xb94ca1f9), z, __int_as_float(is_cosine ? 0xbab6061a : 0x3c08839e));
    sum = __fmaf_rn(sum, z, __int_as_float(is_cosine ? 0x3d2aaaa5 : 0xbe2aaaa3));
    sum = __fmaf_rn(sum, z, is_cosine ? -0.5f : 0.0f);
    const float found = __fmaf_rn(sum, is_cosine ? z : r, is_cosine ? 1.0f : r);
    return (quadrant & 2) != 0 ? -found : found;
}
__device__ inline __half hsin(__half a) { const __half r = __float2half(__half_sine(__half2float(a), 0)), size = __ushort_as_half(a.__x & 0x7fff); __half m = __ushort_as_half(r.__x & 0x7fff); m = __half_mended(size, 0x32b3, 0x0800, m); m = __half_mended(size, 0x5cb0, 0x9000, m); return __ushort_as_half(m.__x | (r.__x & 0x8000)); }
__device__ inline __half hcos(__half a) { const __half r = __float2half(__half_sine(__half2float(a), 1)); return __half_mended(__ushort_as_half(a.__x & 0x7fff), 0x2b7c, 0x1000, r); }
__device__ inline __half htanh(__half a)
{
    const float x = __half2float(a), size = fabsf(x), z = __fmul_rn(x, x);
    float power, inverse;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(__fmul_rn(size, __int_as_float(0x4038aa3b))));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(__fadd_rn(power, 1.0f)));
    float far = __fmaf_rn(inverse, -2.0f, 1.0f);
    if (size >= __int_as_float(0x41102cb4))
        far = 1.0f;
    far = __int_as_float((__float_as_int(far) & 0x7fffffff) | (__float_as_int(x) & (int)0x80000000u));
    float sum = __fmaf_rn(__int_as_float(0x3c80f082), z, __int_as_float(0xbd563cae));
    sum = __fmaf_rn(__fmaf_rn(sum, z, __int_as_float(0x3e085941)), z, __int_as_float(0xbeaaa9ed));
    const float near = __fmaf_rn(__fmaf_rn(sum, z, 0.0f), x, x);
    return __float2half(size >= __int_as_float(0x3f19999a) ? far : near);
}
__device__ inline __half2 h2exp2(__half2 a) { return __halves2half2(hexp2(a.x), hexp2(a.y)); }
__device__ inline __half2 h2exp10(__half2 a) { return __halves2half2(hexp10(a.x), hexp10(a.y)); }
__device__ inline __half2 h2log2(__half2 a) { return __halves2half2(hlog2(a.x), hlog2(a.y)); }
__device__ inline __half2 h2log10(__half2 a) { return __halves2half2(hlog10(a.x), hlog10(a.y)); }
__device__ inline __half2 h2sin(__half2 a) { return __halves2half2(hsin(a.x), hsin(a.y)); }
__device__ inline __half2 h2cos(__half2 a) { return __halves2half2(hcos(a.x), hcos(a.y)); }
__device__ inline __half2 h2tanh(__half2 a) { return __halves2half2(htanh(a.x), htanh(a.y)); }
__device__ inline __half2 h2exp(__half2 a) { return __halves2half2(hexp(a.x), hexp(a.y)); }
__device__ inline __half2 h2log(__half2 a) { return __halves2half2(hlog(a.x), hlog(a.y)); }
__device__ inline __half2 h2sqrt(__half2 a) { return __halves2half2(hsqrt(a.x), hsqrt(a.y)); }
__device__ inline __half2 h2rsqrt(__half2 a) { return __halves2half2(hrsqrt(a.x), hrsqrt(a.y)); }
__device__ inline __half2 h2rcp(__half2 a) { return __halves2half2(hrcp(a.x), hrcp(a.y)); }
__device__ inline __half2 h2floor(__half2 a) { return __halves2half2(hfloor(a.x), hfloor(a.y)); }
__device__ inline __half2 h2ceil(__half2 a) { return __halves2half2(hceil(a.x), hceil(a.y)); }
__device__ inline __half2 h2trunc(__half2 a) { return __halves2half2(htrunc(a.x), htrunc(a.y)); }
__device__ inline __half2 h2rint(__half2 a) { return __halves2half2(hrint(a.x), hrint(a.y)); }
__device__ inline __half operator+(const __half& a, const __half& b) { return __hadd(a, b); }
__device__ inline __half2 operator+(const __half2& a, const __half2& b) { return __hadd2(a, b); }
__device__ inline __half operator-(const __half& a, const __half& b) { return __hsub(a, b); }
__device__ inline __half2 operator-(const __half2& a, const __half2& b) { return __hsub2(a, b); }
__device__ inline __half operator*(const __half& a, const __half& b) { return __hmul(a, b); }
__device__ inline __half2 operator*(const __half2& a, const __half2& b) { return __hmul2(a, b); }
__device__ inline __half operator/(const __half& a, const __half& b) { return __hdiv(a, b); }
__device__ inline __half2 operator/(const __half2& a, const __half2& b) { return __h2div(a, b); }
__device__ inline __half operator-(const __half& a) { return __hneg(a); }
__device__ inline __half operator+(const __half& a) { return a; }
__device__ inline __half2 operator+(const __half2& a) { return a; }
__device__ inline __half2 operator-(const __half2& a) { return __hneg2(a); }
__device__ inline __half& operator++(__half& a) { a += __ushort_as_half(0x3c00); return a; }
__device__ inline __half operator++(__half& a, int) { const __half before = a; a += __ushort_as_half(0x3c00); return before; }
__device__ inline __half& operator--(__half& a) { a -= __ushort_as_half(0x3c00); return a; }
__device__ inline __half operator--(__half& a, int) { const __half before = a; a -= __ushort_as_half(0x3c00); return before; }
__device__ inline __half2& operator++(__half2& a) { a += __bits_half2(0x3c003c00u); return a; }
__device__ inline __half2 operator++(__half2& a, int) { const __half2 before = a; a += __bits_half2(0x3c003c00u); return before; }
__device__ inline __half2& operator--(__half2& a) { a -= __bits_half2(0x3c003c00u); return a; }
__device__ inline __half2 operator--(__half2& a, int) { const __half2 before = a; a -= __bits_half2(0x3c003c00u); return before; }
__device__ inline bool operator==(const __half& a, const __half& b) { return __heq(a, b); }
__device__ inline bool operator!=(const __half& a, const __half& b) { return __hneu(a, b); }
__device__ inline bool operator<(const __half& a, const __half& b) { return __hlt(a, b); }
__device__ inline bool operator<=(const __half& a, const __half& b) { return __hle(a, b); }
__device__ inline bool operator>(const __half& a, const __half& b) { return __hgt(a, b); }
__device__ inline bool operator>=(const __half& a, const __half& b) { return __hge(a, b); }
__device__ inline __half __shfl_sync(unsigned mask, __half v, int lane, int width = 32) { return __ushort_as_half((unsigned short)__shfl_sync(mask, (unsigned)v.__x, lane, width)); }
__device__ inline __half2 __shfl_sync(unsigned mask, __half2 v, int lane, int width = 32) { return __bits_half2(__shfl_sync(mask, __half2_bits(v), lane, width)); }
__device__ inline __half __shfl_up_sync(unsigned mask, __half v, unsigned lane, int width = 32) { return __ushort_as_half((unsigned short)__shfl_up_sync(mask, (unsigned)v.__x, lane, width)); }
__device__ inline __half2 __shfl_up_sync(unsigned mask, __half2 v, unsigned lane, int width = 32) { return __bits_half2(__shfl_up_sync(mask, __half2_bits(v), lane, width)); }
__device__ inline __half __shfl_down_sync(unsigned mask, __half v, unsigned lane, int width = 32) { return __ushort_as_half((unsigned short)__shfl_down_sync(mask, (unsigned)v.__x, lane, width)); }
__device__ inline __half2 __shfl_down_sync(unsigned mask, __half2 v, unsigned lane, int width = 32) { return __bits_half2(__shfl_down_sync(mask, __half2_bits(v), lane, width)); }
__device__ inline __half __shfl_xor_sync(unsigned mask, __half v, int lane, int width = 32) { return __ushort_as_half((unsigned short)__shfl_xor_sync(mask, (unsigned)v.__x, lane, width)); }
__device__ inline __half2 __shfl_xor_sync(unsigned mask, __half2 v, int lane, int width = 32) { return __bits_half2(__shfl_xor_sync(mask, __half2_bits(v), lane, width)); }
__device__ inline __half __ldg(const __half* from) { return __ushort_as_half(__ldg((const unsigned short*)from)); }
__device__ inline __half2 __ldg(const __half2* from) { return __bits_half2(__ldg((const unsigned*)from)); }
__device__ inline __half __ldcg(const __half* from) { return __ushort_as_half(__ldcg((const unsigned short*)from)); }
__device__ inline __half2 __ldcg(const __half2* from) { return __bits_half2(__ldcg((const unsigned*)from)); }
__device__ inline __half __ldcs(const __half* from) { return __ushort_as_half(__ldcs((const unsigned short*)from)); }
__device__ inline __half2 __ldcs(const __half2* from) { return __bits_half2(__ldcs((const unsigned*)from)); }
__device__ inline __half __ldca(const __half* from) { return __ushort_as_half(__ldca((const unsigned short*)from)); }
__device__ inline __half2 __ldca(const __half2* from) { return __bits_half2(__ldca((const unsigned*)from)); }
__device__ inline __half2 atomicAdd(__half2* to, __half2 v) { unsigned r; asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(r) : "l"(to), "r"(__half2_bits(v)) : "memory"); return __bits_half2(r); }
__device__ inline __half atomicAdd(__half* to, __half v) { unsigned short r; asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(to), "h"(v.__x) : "memory"); return __ushort_as_half(r); }
