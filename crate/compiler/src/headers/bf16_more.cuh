// Functions of bfloat16 that are written seldom, in sections as in math.cuh; bf16.cuh has the others.
//@ __bf16_kept
// Between 0 and 1.
__device__ inline __nv_bfloat16 __bf16_kept(__nv_bfloat16 a) { return __hmin(__hmax(a, __ushort_as_bfloat16(0)), __ushort_as_bfloat16(0x3f80)); }
//@ __hadd_sat: __bf16_kept
__device__ inline __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __bf16_kept(__hadd(a, b)); }
//@ __hadd2_sat: __hadd_sat
__device__ inline __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
//@ __hadd_rn
__device__ inline __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
//@ __hadd2_rn
__device__ inline __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
//@ __hsub_sat: __bf16_kept
__device__ inline __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __bf16_kept(__hsub(a, b)); }
//@ __hsub2_sat: __hsub_sat
__device__ inline __nv_bfloat162 __hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
//@ __hsub_rn
__device__ inline __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
//@ __hsub2_rn
__device__ inline __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
//@ __hmul_sat: __bf16_kept
__device__ inline __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __bf16_kept(__hmul(a, b)); }
//@ __hmul2_sat: __hmul_sat
__device__ inline __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
//@ __hmul_rn
__device__ inline __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
//@ __hmul2_rn
__device__ inline __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
//@ __hfma_sat: __bf16_kept
__device__ inline __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __bf16_kept(__hfma(a, b, c)); }
//@ __hfma2_sat: __hfma_sat
__device__ inline __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __halves2bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
//@ __hfma_relu
__device__ inline __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { __nv_bfloat16 r; asm("fma.rn.relu.bf16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); return r; }
//@ __hfma2_relu: __hfma_relu
__device__ inline __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __halves2bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
//@ __hcmadd
__device__ inline __nv_bfloat162 __hcmadd(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __halves2bfloat162(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); }
//@ __hmax2
__device__ inline __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
//@ __hmax_nan
__device__ inline __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat16 r; asm("max.NaN.bf16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
//@ __hmax2_nan: __hmax_nan
__device__ inline __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
//@ __hmin2
__device__ inline __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
//@ __hmin_nan
__device__ inline __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat16 r; asm("min.NaN.bf16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x)); return r; }
//@ __hmin2_nan: __hmin_nan
__device__ inline __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
//@ __h2div
__device__ inline __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
//@ __hneg2
__device__ inline __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __halves2bfloat162(__hneg(a.x), __hneg(a.y)); }
//@ __habs2
__device__ inline __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __halves2bfloat162(__habs(a.x), __habs(a.y)); }
//@ __hbeq2
__device__ inline bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
//@ __heq2
__device__ inline __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__heq(a.x, b.x) ? 0x3f80u : 0) | (__heq(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __heq2_mask
__device__ inline unsigned __heq2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__heq(a.x, b.x) ? 0xffffu : 0) | (__heq(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hequ
__device__ inline bool __hequ(__nv_bfloat16 a, __nv_bfloat16 b) { const float x = __bfloat162float(a), y = __bfloat162float(b); return !(x < y || x > y); }
//@ __hbequ2: __hequ
__device__ inline bool __hbequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
//@ __hequ2: __hequ
__device__ inline __nv_bfloat162 __hequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hequ(a.x, b.x) ? 0x3f80u : 0) | (__hequ(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hequ2_mask: __hequ
__device__ inline unsigned __hequ2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hequ(a.x, b.x) ? 0xffffu : 0) | (__hequ(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hbne2
__device__ inline bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
//@ __hne2
__device__ inline __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hne(a.x, b.x) ? 0x3f80u : 0) | (__hne(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hne2_mask
__device__ inline unsigned __hne2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hne(a.x, b.x) ? 0xffffu : 0) | (__hne(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hneu
__device__ inline bool __hneu(__nv_bfloat16 a, __nv_bfloat16 b) { const float x = __bfloat162float(a), y = __bfloat162float(b); return x != y; }
//@ __hbneu2: __hneu
__device__ inline bool __hbneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
//@ __hneu2: __hneu
__device__ inline __nv_bfloat162 __hneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hneu(a.x, b.x) ? 0x3f80u : 0) | (__hneu(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hneu2_mask: __hneu
__device__ inline unsigned __hneu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hneu(a.x, b.x) ? 0xffffu : 0) | (__hneu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hblt2
__device__ inline bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
//@ __hlt2
__device__ inline __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hlt(a.x, b.x) ? 0x3f80u : 0) | (__hlt(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hlt2_mask
__device__ inline unsigned __hlt2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hlt(a.x, b.x) ? 0xffffu : 0) | (__hlt(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hltu
__device__ inline bool __hltu(__nv_bfloat16 a, __nv_bfloat16 b) { const float x = __bfloat162float(a), y = __bfloat162float(b); return !(x >= y); }
//@ __hbltu2: __hltu
__device__ inline bool __hbltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
//@ __hltu2: __hltu
__device__ inline __nv_bfloat162 __hltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hltu(a.x, b.x) ? 0x3f80u : 0) | (__hltu(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hltu2_mask: __hltu
__device__ inline unsigned __hltu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hltu(a.x, b.x) ? 0xffffu : 0) | (__hltu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hble2
__device__ inline bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
//@ __hle2
__device__ inline __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hle(a.x, b.x) ? 0x3f80u : 0) | (__hle(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hle2_mask
__device__ inline unsigned __hle2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hle(a.x, b.x) ? 0xffffu : 0) | (__hle(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hleu
__device__ inline bool __hleu(__nv_bfloat16 a, __nv_bfloat16 b) { const float x = __bfloat162float(a), y = __bfloat162float(b); return !(x > y); }
//@ __hbleu2: __hleu
__device__ inline bool __hbleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
//@ __hleu2: __hleu
__device__ inline __nv_bfloat162 __hleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hleu(a.x, b.x) ? 0x3f80u : 0) | (__hleu(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hleu2_mask: __hleu
__device__ inline unsigned __hleu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hleu(a.x, b.x) ? 0xffffu : 0) | (__hleu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hbgt2
__device__ inline bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
//@ __hgt2
__device__ inline __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hgt(a.x, b.x) ? 0x3f80u : 0) | (__hgt(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hgt2_mask
__device__ inline unsigned __hgt2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgt(a.x, b.x) ? 0xffffu : 0) | (__hgt(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hgtu
__device__ inline bool __hgtu(__nv_bfloat16 a, __nv_bfloat16 b) { const float x = __bfloat162float(a), y = __bfloat162float(b); return !(x <= y); }
//@ __hbgtu2: __hgtu
__device__ inline bool __hbgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
//@ __hgtu2: __hgtu
__device__ inline __nv_bfloat162 __hgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hgtu(a.x, b.x) ? 0x3f80u : 0) | (__hgtu(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hgtu2_mask: __hgtu
__device__ inline unsigned __hgtu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgtu(a.x, b.x) ? 0xffffu : 0) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hbge2
__device__ inline bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
//@ __hge2
__device__ inline __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hge(a.x, b.x) ? 0x3f80u : 0) | (__hge(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hge2_mask
__device__ inline unsigned __hge2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hge(a.x, b.x) ? 0xffffu : 0) | (__hge(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hgeu
__device__ inline bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b) { const float x = __bfloat162float(a), y = __bfloat162float(b); return !(x < y); }
//@ __hbgeu2: __hgeu
__device__ inline bool __hbgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
//@ __hgeu2: __hgeu
__device__ inline __nv_bfloat162 __hgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __bits_bfloat162((__hgeu(a.x, b.x) ? 0x3f80u : 0) | (__hgeu(a.y, b.y) ? 0x3f80u << 16 : 0)); }
//@ __hgeu2_mask: __hgeu
__device__ inline unsigned __hgeu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgeu(a.x, b.x) ? 0xffffu : 0) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hisinf
__device__ inline int __hisinf(__nv_bfloat16 a) { return a.__x == 0x7f80 ? 1 : a.__x == 0xff80 ? -1 : 0; }
//@ __hisnan2
__device__ inline __nv_bfloat162 __hisnan2(__nv_bfloat162 a) { return __bits_bfloat162((__hisnan(a.x) ? 0x3f80u : 0) | (__hisnan(a.y) ? 0x3f800000u : 0)); }
//@ __bfloat162int_rn
__device__ inline int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn(__bfloat162float(a)); }
//@ __int2bfloat16_rn
__device__ inline __nv_bfloat16 __int2bfloat16_rn(int v) { return __float2bfloat16(__float_of_odd(__int2float_rz(v), __int2float_rd(v) == __int2float_ru(v))); }
//@ __bfloat162uint_rn
__device__ inline unsigned __bfloat162uint_rn(__nv_bfloat16 a) { return __float2uint_rn(__bfloat162float(a)); }
//@ __uint2bfloat16_rn
__device__ inline __nv_bfloat16 __uint2bfloat16_rn(unsigned v) { return __float2bfloat16(__float_of_odd(__uint2float_rz(v), __uint2float_rd(v) == __uint2float_ru(v))); }
//@ __bfloat162ll_rn
__device__ inline long long __bfloat162ll_rn(__nv_bfloat16 a) { return __float2ll_rn(__bfloat162float(a)); }
//@ __ll2bfloat16_rn
__device__ inline __nv_bfloat16 __ll2bfloat16_rn(long long v) { return __float2bfloat16(__float_of_odd(__ll2float_rz(v), __ll2float_rd(v) == __ll2float_ru(v))); }
//@ __bfloat162ull_rn
__device__ inline unsigned long long __bfloat162ull_rn(__nv_bfloat16 a) { return __float2ull_rn(__bfloat162float(a)); }
//@ __ull2bfloat16_rn
__device__ inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long v) { return __float2bfloat16(__float_of_odd(__ull2float_rz(v), __ull2float_rd(v) == __ull2float_ru(v))); }
//@ __bfloat162short_rn
__device__ inline short __bfloat162short_rn(__nv_bfloat16 a) { short r; asm("cvt.rni.s16.f32 %0, %1;" : "=h"(r) : "f"(__bfloat162float(a))); return r; }
//@ __short2bfloat16_rn
__device__ inline __nv_bfloat16 __short2bfloat16_rn(short v) { return __float2bfloat16_rn((float)v); }
//@ __bfloat162ushort_rn
__device__ inline unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) { unsigned short r; asm("cvt.rni.u16.f32 %0, %1;" : "=h"(r) : "f"(__bfloat162float(a))); return r; }
//@ __ushort2bfloat16_rn
__device__ inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) { return __float2bfloat16_rn((float)v); }
//@ __bfloat162int_rz
__device__ inline int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz(__bfloat162float(a)); }
//@ __int2bfloat16_rz
__device__ inline __nv_bfloat16 __int2bfloat16_rz(int v) { return __float2bfloat16_rz(__int2float_rz(v)); }
//@ __bfloat162uint_rz
__device__ inline unsigned __bfloat162uint_rz(__nv_bfloat16 a) { return __float2uint_rz(__bfloat162float(a)); }
//@ __uint2bfloat16_rz
__device__ inline __nv_bfloat16 __uint2bfloat16_rz(unsigned v) { return __float2bfloat16_rz(__uint2float_rz(v)); }
//@ __bfloat162ll_rz
__device__ inline long long __bfloat162ll_rz(__nv_bfloat16 a) { return __float2ll_rz(__bfloat162float(a)); }
//@ __ll2bfloat16_rz
__device__ inline __nv_bfloat16 __ll2bfloat16_rz(long long v) { return __float2bfloat16_rz(__ll2float_rz(v)); }
//@ __bfloat162ull_rz
__device__ inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 a) { return __float2ull_rz(__bfloat162float(a)); }
//@ __ull2bfloat16_rz
__device__ inline __nv_bfloat16 __ull2bfloat16_rz(unsigned long long v) { return __float2bfloat16_rz(__ull2float_rz(v)); }
//@ __bfloat162short_rz
__device__ inline short __bfloat162short_rz(__nv_bfloat16 a) { short r; asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(r) : "f"(__bfloat162float(a))); return r; }
//@ __short2bfloat16_rz
__device__ inline __nv_bfloat16 __short2bfloat16_rz(short v) { return __float2bfloat16_rz((float)v); }
//@ __bfloat162ushort_rz
__device__ inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) { unsigned short r; asm("cvt.rzi.u16.f32 %0, %1;" : "=h"(r) : "f"(__bfloat162float(a))); return r; }
//@ __ushort2bfloat16_rz
__device__ inline __nv_bfloat16 __ushort2bfloat16_rz(unsigned short v) { return __float2bfloat16_rz((float)v); }
//@ __bfloat162int_rd
__device__ inline int __bfloat162int_rd(__nv_bfloat16 a) { return __float2int_rd(__bfloat162float(a)); }
//@ __int2bfloat16_rd: __float2bfloat16_rd
__device__ inline __nv_bfloat16 __int2bfloat16_rd(int v) { return __float2bfloat16_rd(__int2float_rd(v)); }
//@ __bfloat162uint_rd
__device__ inline unsigned __bfloat162uint_rd(__nv_bfloat16 a) { return __float2uint_rd(__bfloat162float(a)); }
//@ __uint2bfloat16_rd: __float2bfloat16_rd
__device__ inline __nv_bfloat16 __uint2bfloat16_rd(unsigned v) { return __float2bfloat16_rd(__uint2float_rd(v)); }
//@ __bfloat162ll_rd
__device__ inline long long __bfloat162ll_rd(__nv_bfloat16 a) { return __float2ll_rd(__bfloat162float(a)); }
//@ __ll2bfloat16_rd: __float2bfloat16_rd
__device__ inline __nv_bfloat16 __ll2bfloat16_rd(long long v) { return __float2bfloat16_rd(__ll2float_rd(v)); }
//@ __bfloat162ull_rd
__device__ inline unsigned long long __bfloat162ull_rd(__nv_bfloat16 a) { return __float2ull_rd(__bfloat162float(a)); }
//@ __ull2bfloat16_rd: __float2bfloat16_rd
__device__ inline __nv_bfloat16 __ull2bfloat16_rd(unsigned long long v) { return __float2bfloat16_rd(__ull2float_rd(v)); }
//@ __bfloat162short_rd
__device__ inline short __bfloat162short_rd(__nv_bfloat16 a) { short r; asm("cvt.rmi.s16.f32 %0, %1;" : "=h"(r) : "f"(__bfloat162float(a))); return r; }
//@ __short2bfloat16_rd: __float2bfloat16_rd
__device__ inline __nv_bfloat16 __short2bfloat16_rd(short v) { return __float2bfloat16_rd((float)v); }
//@ __bfloat162ushort_rd
__device__ inline unsigned short __bfloat162ushort_rd(__nv_bfloat16 a) { unsigned short r; asm("cvt.rmi.u16.f32 %0, %1;" : "=h"(r) : "f"(__bfloat162float(a))); return r; }
//@ __ushort2bfloat16_rd: __float2bfloat16_rd
__device__ inline __nv_bfloat16 __ushort2bfloat16_rd(unsigned short v) { return __float2bfloat16_rd((float)v); }
//@ __bfloat162int_ru
__device__ inline int __bfloat162int_ru(__nv_bfloat16 a) { return __float2int_ru(__bfloat162float(a)); }
//@ __int2bfloat16_ru: __float2bfloat16_ru
__device__ inline __nv_bfloat16 __int2bfloat16_ru(int v) { return __float2bfloat16_ru(__int2float_ru(v)); }
//@ __bfloat162uint_ru
__device__ inline unsigned __bfloat162uint_ru(__nv_bfloat16 a) { return __float2uint_ru(__bfloat162float(a)); }
//@ __uint2bfloat16_ru: __float2bfloat16_ru
__device__ inline __nv_bfloat16 __uint2bfloat16_ru(unsigned v) { return __float2bfloat16_ru(__uint2float_ru(v)); }
//@ __bfloat162ll_ru
__device__ inline long long __bfloat162ll_ru(__nv_bfloat16 a) { return __float2ll_ru(__bfloat162float(a)); }
//@ __ll2bfloat16_ru: __float2bfloat16_ru
__device__ inline __nv_bfloat16 __ll2bfloat16_ru(long long v) { return __float2bfloat16_ru(__ll2float_ru(v)); }
//@ __bfloat162ull_ru
__device__ inline unsigned long long __bfloat162ull_ru(__nv_bfloat16 a) { return __float2ull_ru(__bfloat162float(a)); }
//@ __ull2bfloat16_ru: __float2bfloat16_ru
__device__ inline __nv_bfloat16 __ull2bfloat16_ru(unsigned long long v) { return __float2bfloat16_ru(__ull2float_ru(v)); }
//@ __bfloat162short_ru
__device__ inline short __bfloat162short_ru(__nv_bfloat16 a) { short r; asm("cvt.rpi.s16.f32 %0, %1;" : "=h"(r) : "f"(__bfloat162float(a))); return r; }
//@ __short2bfloat16_ru: __float2bfloat16_ru
__device__ inline __nv_bfloat16 __short2bfloat16_ru(short v) { return __float2bfloat16_ru((float)v); }
//@ __bfloat162ushort_ru
__device__ inline unsigned short __bfloat162ushort_ru(__nv_bfloat16 a) { unsigned short r; asm("cvt.rpi.u16.f32 %0, %1;" : "=h"(r) : "f"(__bfloat162float(a))); return r; }
//@ __ushort2bfloat16_ru: __float2bfloat16_ru
__device__ inline __nv_bfloat16 __ushort2bfloat16_ru(unsigned short v) { return __float2bfloat16_ru((float)v); }
//@ __bfloat162char_rz
__device__ inline signed char __bfloat162char_rz(__nv_bfloat16 a) { return (signed char)min(max(__float2int_rz(__bfloat162float(a)), -128), 127); }
//@ __bfloat162uchar_rz
__device__ inline unsigned char __bfloat162uchar_rz(__nv_bfloat16 a) { return (unsigned char)min(max(__float2int_rz(__bfloat162float(a)), 0), 255); }
//@ __float2bfloat16_rd
__device__ inline __nv_bfloat16 __float2bfloat16_rd(float v)
{
    const unsigned bits = __float_as_uint(v), size = bits & 0x7fffffffu;
    return __ushort_as_bfloat16((unsigned short)(size > 0x7f800000u ? 0x7fff : (bits >> 16) + ((bits & 0xffff) != 0 && (int)bits < 0)));
}
//@ __float2bfloat16_ru
__device__ inline __nv_bfloat16 __float2bfloat16_ru(float v)
{
    const unsigned bits = __float_as_uint(v), size = bits & 0x7fffffffu;
    return __ushort_as_bfloat16((unsigned short)(size > 0x7f800000u ? 0x7fff : (bits >> 16) + ((bits & 0xffff) != 0 && (int)bits >= 0)));
}
//@ __double2bfloat16 below 90
__device__ inline __nv_bfloat16 __double2bfloat16(double v) { return __bfloat16_of(v); }
//@ __double2bfloat16 from 90
__device__ inline __nv_bfloat16 __double2bfloat16(double v) { __nv_bfloat16 r; asm("cvt.rn.bf16.f64 %0, %1;" : "=h"(r.__x) : "d"(v)); return r; }
//@ __bfloat16_as_short
__device__ inline short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
//@ __short_as_bfloat16
__device__ inline __nv_bfloat16 __short_as_bfloat16(short v) { return __ushort_as_bfloat16((unsigned short)v); }
//@ __low2bfloat162
__device__ inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __halves2bfloat162(a.x, a.x); }
//@ __high2bfloat162
__device__ inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __halves2bfloat162(a.y, a.y); }
//@ __lowhigh2highlow
__device__ inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __halves2bfloat162(a.y, a.x); }
//@ __lows2bfloat162
__device__ inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(a.x, b.x); }
//@ __highs2bfloat162
__device__ inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(a.y, b.y); }
//@ hsqrt
__device__ inline __nv_bfloat16 hsqrt(__nv_bfloat16 a) { float r; asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(__bfloat162float(a))); return __float2bfloat16(r); }
//@ hrsqrt
__device__ inline __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { float r; asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(__bfloat162float(a))); return __float2bfloat16(r); }
//@ hrcp
__device__ inline __nv_bfloat16 hrcp(__nv_bfloat16 a) { float r; asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(__bfloat162float(a))); return __float2bfloat16(r); }
//@ htanh
__device__ inline __nv_bfloat16 htanh(__nv_bfloat16 a) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(__bfloat162float(a))); return __float2bfloat16(r); }
//@ htanh_approx
__device__ inline __nv_bfloat16 htanh_approx(__nv_bfloat16 a) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(__bfloat162float(a))); return __float2bfloat16(r); }
//@ hexp2
__device__ inline __nv_bfloat16 hexp2(__nv_bfloat16 a) { float r; asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(__bfloat162float(a))); return __float2bfloat16(r); }
//@ hlog2
__device__ inline __nv_bfloat16 hlog2(__nv_bfloat16 a) { float r; asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(__bfloat162float(a))); return __float2bfloat16(r); }
//@ hexp
__device__ inline __nv_bfloat16 hexp(__nv_bfloat16 a) { return __float2bfloat16(exp2f(__bfloat162float(a) * __int_as_float(0x3fb8aa3c))); }
//@ hexp10
__device__ inline __nv_bfloat16 hexp10(__nv_bfloat16 a) { return a.__x == 0xbc95 ? __ushort_as_bfloat16(0x3f75) : __float2bfloat16(exp2f(__bfloat162float(a) * __int_as_float(0x40549a78))); }
//@ hlog
__device__ inline __nv_bfloat16 hlog(__nv_bfloat16 a) { return __float2bfloat16(__log2f(__bfloat162float(a)) * __int_as_float(0x3f317218)); }
//@ hlog10
__device__ inline __nv_bfloat16 hlog10(__nv_bfloat16 a) { return __float2bfloat16(__log2f(__bfloat162float(a)) * __int_as_float(0x3e9a209b)); }
//@ hsin: sinf
__device__ inline __nv_bfloat16 hsin(__nv_bfloat16 a) { return __float2bfloat16(sinf(__bfloat162float(a))); }
//@ hcos: cosf
__device__ inline __nv_bfloat16 hcos(__nv_bfloat16 a) { return __float2bfloat16(cosf(__bfloat162float(a))); }
//@ hfloor
__device__ inline __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __float2bfloat16_rz(floorf(__bfloat162float(a))); }
//@ hceil
__device__ inline __nv_bfloat16 hceil(__nv_bfloat16 a) { return __float2bfloat16_rz(ceilf(__bfloat162float(a))); }
//@ hrint
__device__ inline __nv_bfloat16 hrint(__nv_bfloat16 a) { return __float2bfloat16_rz(rintf(__bfloat162float(a))); }
//@ htrunc
__device__ inline __nv_bfloat16 htrunc(__nv_bfloat16 a) { return __float2bfloat16_rz(truncf(__bfloat162float(a))); }
//@ h2sqrt: hsqrt
__device__ inline __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return __halves2bfloat162(hsqrt(a.x), hsqrt(a.y)); }
//@ h2rsqrt: hrsqrt
__device__ inline __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return __halves2bfloat162(hrsqrt(a.x), hrsqrt(a.y)); }
//@ h2rcp: hrcp
__device__ inline __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return __halves2bfloat162(hrcp(a.x), hrcp(a.y)); }
//@ h2tanh: htanh
__device__ inline __nv_bfloat162 h2tanh(__nv_bfloat162 a) { return __halves2bfloat162(htanh(a.x), htanh(a.y)); }
//@ h2exp: hexp
__device__ inline __nv_bfloat162 h2exp(__nv_bfloat162 a) { return __halves2bfloat162(hexp(a.x), hexp(a.y)); }
//@ h2exp2: hexp2
__device__ inline __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return __halves2bfloat162(hexp2(a.x), hexp2(a.y)); }
//@ h2exp10: hexp10
__device__ inline __nv_bfloat162 h2exp10(__nv_bfloat162 a) { return __halves2bfloat162(hexp10(a.x), hexp10(a.y)); }
//@ h2log: hlog
__device__ inline __nv_bfloat162 h2log(__nv_bfloat162 a) { return __halves2bfloat162(hlog(a.x), hlog(a.y)); }
//@ h2log2: hlog2
__device__ inline __nv_bfloat162 h2log2(__nv_bfloat162 a) { return __halves2bfloat162(hlog2(a.x), hlog2(a.y)); }
//@ h2log10: hlog10
__device__ inline __nv_bfloat162 h2log10(__nv_bfloat162 a) { return __halves2bfloat162(hlog10(a.x), hlog10(a.y)); }
//@ h2sin: hsin
__device__ inline __nv_bfloat162 h2sin(__nv_bfloat162 a) { return __halves2bfloat162(hsin(a.x), hsin(a.y)); }
//@ h2cos: hcos
__device__ inline __nv_bfloat162 h2cos(__nv_bfloat162 a) { return __halves2bfloat162(hcos(a.x), hcos(a.y)); }
//@ h2floor: hfloor
__device__ inline __nv_bfloat162 h2floor(__nv_bfloat162 a) { return __halves2bfloat162(hfloor(a.x), hfloor(a.y)); }
//@ h2ceil: hceil
__device__ inline __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return __halves2bfloat162(hceil(a.x), hceil(a.y)); }
//@ h2rint: hrint
__device__ inline __nv_bfloat162 h2rint(__nv_bfloat162 a) { return __halves2bfloat162(hrint(a.x), hrint(a.y)); }
//@ h2trunc: htrunc
__device__ inline __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return __halves2bfloat162(htrunc(a.x), htrunc(a.y)); }
//@ h2tanh_approx: htanh_approx
__device__ inline __nv_bfloat162 h2tanh_approx(__nv_bfloat162 a) { return __halves2bfloat162(htanh_approx(a.x), htanh_approx(a.y)); }
//@ __ldcg
__device__ inline __nv_bfloat16 __ldcg(const __nv_bfloat16* from) { return __ushort_as_bfloat16(__ldcg((const unsigned short*)from)); }
__device__ inline __nv_bfloat162 __ldcg(const __nv_bfloat162* from) { return __bits_bfloat162(__ldcg((const unsigned*)from)); }
//@ __ldca
__device__ inline __nv_bfloat16 __ldca(const __nv_bfloat16* from) { return __ushort_as_bfloat16(__ldca((const unsigned short*)from)); }
__device__ inline __nv_bfloat162 __ldca(const __nv_bfloat162* from) { return __bits_bfloat162(__ldca((const unsigned*)from)); }
//@ __ldcs
__device__ inline __nv_bfloat16 __ldcs(const __nv_bfloat16* from) { return __ushort_as_bfloat16(__ldcs((const unsigned short*)from)); }
__device__ inline __nv_bfloat162 __ldcs(const __nv_bfloat162* from) { return __bits_bfloat162(__ldcs((const unsigned*)from)); }
//@ __ldcv
__device__ inline __nv_bfloat16 __ldcv(const __nv_bfloat16* from) { return __ushort_as_bfloat16(__ldcv((const unsigned short*)from)); }
__device__ inline __nv_bfloat162 __ldcv(const __nv_bfloat162* from) { return __bits_bfloat162(__ldcv((const unsigned*)from)); }
//@ __ldlu
__device__ inline __nv_bfloat16 __ldlu(const __nv_bfloat16* from) { return __ushort_as_bfloat16(__ldlu((const unsigned short*)from)); }
__device__ inline __nv_bfloat162 __ldlu(const __nv_bfloat162* from) { return __bits_bfloat162(__ldlu((const unsigned*)from)); }
//@ __stcg
__device__ inline void __stcg(__nv_bfloat16* to, __nv_bfloat16 v) { __stcg((unsigned short*)to, v.__x); }
__device__ inline void __stcg(__nv_bfloat162* to, __nv_bfloat162 v) { __stcg((unsigned*)to, __bfloat162_bits(v)); }
//@ __stcs
__device__ inline void __stcs(__nv_bfloat16* to, __nv_bfloat16 v) { __stcs((unsigned short*)to, v.__x); }
__device__ inline void __stcs(__nv_bfloat162* to, __nv_bfloat162 v) { __stcs((unsigned*)to, __bfloat162_bits(v)); }
//@ __stwb
__device__ inline void __stwb(__nv_bfloat16* to, __nv_bfloat16 v) { __stwb((unsigned short*)to, v.__x); }
__device__ inline void __stwb(__nv_bfloat162* to, __nv_bfloat162 v) { __stwb((unsigned*)to, __bfloat162_bits(v)); }
//@ __stwt
__device__ inline void __stwt(__nv_bfloat16* to, __nv_bfloat16 v) { __stwt((unsigned short*)to, v.__x); }
__device__ inline void __stwt(__nv_bfloat162* to, __nv_bfloat162 v) { __stwt((unsigned*)to, __bfloat162_bits(v)); }
//@ atomicAdd from 90
__device__ inline __nv_bfloat16 atomicAdd(__nv_bfloat16* to, __nv_bfloat16 v) { unsigned short r; asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(r) : "l"(to), "h"(v.__x) : "memory"); return __ushort_as_bfloat16(r); }
__device__ inline __nv_bfloat162 atomicAdd(__nv_bfloat162* to, __nv_bfloat162 v) { unsigned r; asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(r) : "l"(to), "r"(__bfloat162_bits(v)) : "memory"); return __bits_bfloat162(r); }
//@ atomicAdd below 90
__device__ inline __nv_bfloat16 atomicAdd(__nv_bfloat16* to, __nv_bfloat16 v)
{
    unsigned short now = *(unsigned short*)to, before;
    do {
        before = now;
        asm volatile("atom@space.cas.b16 %0, [%1], %2, %3;" : "=h"(now) : "l"(to), "h"(before), "h"(__hadd(v, __ushort_as_bfloat16(before)).__x) : "memory");
    } while (before != now);
    return __ushort_as_bfloat16(now);
}
__device__ inline __nv_bfloat162 atomicAdd(__nv_bfloat162* to, __nv_bfloat162 v)
{
    unsigned now = *(unsigned*)to, before;
    do {
        before = now;
        now = atomicCAS((unsigned*)to, before, __bfloat162_bits(__hadd2(v, __bits_bfloat162(before))));
    } while (before != now);
    return __bits_bfloat162(now);
}
