// Functions of half precision that are written seldom, in sections as in math.cuh; fp16.cuh has the others.
//@ __heq2_mask
__device__ inline unsigned __heq2_mask(__half2 a, __half2 b) { return (__heq(a.x, b.x) ? 0xffffu : 0) | (__heq(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hequ2_mask
__device__ inline unsigned __hequ2_mask(__half2 a, __half2 b) { return (__hequ(a.x, b.x) ? 0xffffu : 0) | (__hequ(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hne2_mask
__device__ inline unsigned __hne2_mask(__half2 a, __half2 b) { return (__hne(a.x, b.x) ? 0xffffu : 0) | (__hne(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hneu2_mask
__device__ inline unsigned __hneu2_mask(__half2 a, __half2 b) { return (__hneu(a.x, b.x) ? 0xffffu : 0) | (__hneu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hlt2_mask
__device__ inline unsigned __hlt2_mask(__half2 a, __half2 b) { return (__hlt(a.x, b.x) ? 0xffffu : 0) | (__hlt(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hltu2_mask
__device__ inline unsigned __hltu2_mask(__half2 a, __half2 b) { return (__hltu(a.x, b.x) ? 0xffffu : 0) | (__hltu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hle2_mask
__device__ inline unsigned __hle2_mask(__half2 a, __half2 b) { return (__hle(a.x, b.x) ? 0xffffu : 0) | (__hle(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hleu2_mask
__device__ inline unsigned __hleu2_mask(__half2 a, __half2 b) { return (__hleu(a.x, b.x) ? 0xffffu : 0) | (__hleu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hgt2_mask
__device__ inline unsigned __hgt2_mask(__half2 a, __half2 b) { return (__hgt(a.x, b.x) ? 0xffffu : 0) | (__hgt(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hgtu2_mask
__device__ inline unsigned __hgtu2_mask(__half2 a, __half2 b) { return (__hgtu(a.x, b.x) ? 0xffffu : 0) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hge2_mask
__device__ inline unsigned __hge2_mask(__half2 a, __half2 b) { return (__hge(a.x, b.x) ? 0xffffu : 0) | (__hge(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hgeu2_mask
__device__ inline unsigned __hgeu2_mask(__half2 a, __half2 b) { return (__hgeu(a.x, b.x) ? 0xffffu : 0) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0); }
//@ __hmax_nan
__device__ inline __half __hmax_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? __ushort_as_half(0x7fff) : __hmax(a, b); }
//@ __hmax2_nan: __hmax_nan
__device__ inline __half2 __hmax2_nan(__half2 a, __half2 b) { return __halves2half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
//@ __hmin_nan
__device__ inline __half __hmin_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? __ushort_as_half(0x7fff) : __hmin(a, b); }
//@ __hmin2_nan: __hmin_nan
__device__ inline __half2 __hmin2_nan(__half2 a, __half2 b) { return __halves2half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
//@ __hcmadd
__device__ inline __half2 __hcmadd(__half2 a, __half2 b, __half2 c) { return __halves2half2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); }
//@ __hisnan2
__device__ inline __half2 __hisnan2(__half2 a) { return __bits_half2((__hisnan(a.x) ? 0x3c00u : 0) | (__hisnan(a.y) ? 0x3c000000u : 0)); }
//@ __half2char_rz
__device__ inline signed char __half2char_rz(__half a) { return (signed char)min(max(__half2int_rz(a), -128), 127); }
//@ __half2uchar_rz
__device__ inline unsigned char __half2uchar_rz(__half a) { return (unsigned char)min(max(__half2int_rz(a), 0), 255); }
//@ htanh_approx
__device__ inline __half htanh_approx(__half a) { __half r; asm("tanh.approx.f16 %0, %1;" : "=h"(r.__x) : "h"(a.__x)); return r; }
//@ h2tanh_approx: htanh_approx
__device__ inline __half2 h2tanh_approx(__half2 a) { return __halves2half2(htanh_approx(a.x), htanh_approx(a.y)); }
//@ __ldcv
__device__ inline __half __ldcv(const __half* from) { return __ushort_as_half(__ldcv((const unsigned short*)from)); }
__device__ inline __half2 __ldcv(const __half2* from) { return __bits_half2(__ldcv((const unsigned*)from)); }
//@ __ldlu
__device__ inline __half __ldlu(const __half* from) { return __ushort_as_half(__ldlu((const unsigned short*)from)); }
__device__ inline __half2 __ldlu(const __half2* from) { return __bits_half2(__ldlu((const unsigned*)from)); }
//@ __stcg
__device__ inline void __stcg(__half* to, __half v) { __stcg((unsigned short*)to, v.__x); }
__device__ inline void __stcg(__half2* to, __half2 v) { __stcg((unsigned*)to, __half2_bits(v)); }
//@ __stcs
__device__ inline void __stcs(__half* to, __half v) { __stcs((unsigned short*)to, v.__x); }
__device__ inline void __stcs(__half2* to, __half2 v) { __stcs((unsigned*)to, __half2_bits(v)); }
//@ __stwb
__device__ inline void __stwb(__half* to, __half v) { __stwb((unsigned short*)to, v.__x); }
__device__ inline void __stwb(__half2* to, __half2 v) { __stwb((unsigned*)to, __half2_bits(v)); }
//@ __stwt
__device__ inline void __stwt(__half* to, __half v) { __stwt((unsigned short*)to, v.__x); }
__device__ inline void __stwt(__half2* to, __half2 v) { __stwt((unsigned*)to, __half2_bits(v)); }
