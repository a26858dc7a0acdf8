// CUDA's functions for those who hand them over or keep them in a table.
//@ __value_acosf: acosf
__device__ inline float __value_acosf(float x) { return acosf(x); }
//@ __value_acoshf: acoshf
__device__ inline float __value_acoshf(float x) { return acoshf(x); }
//@ __value_asinf: asinf
__device__ inline float __value_asinf(float x) { return asinf(x); }
//@ __value_asinhf: asinhf
__device__ inline float __value_asinhf(float x) { return asinhf(x); }
//@ __value_atanf: atanf
__device__ inline float __value_atanf(float x) { return atanf(x); }
//@ __value_atanhf: atanhf
__device__ inline float __value_atanhf(float x) { return atanhf(x); }
//@ __value_cbrtf: cbrtf
__device__ inline float __value_cbrtf(float x) { return cbrtf(x); }
//@ __value_ceilf
__device__ inline float __value_ceilf(float x) { return ceilf(x); }
//@ __value_cosf: cosf
__device__ inline float __value_cosf(float x) { return cosf(x); }
//@ __value_coshf: coshf
__device__ inline float __value_coshf(float x) { return coshf(x); }
//@ __value_cospif: cospif
__device__ inline float __value_cospif(float x) { return cospif(x); }
//@ __value_erfcf: erfcf
__device__ inline float __value_erfcf(float x) { return erfcf(x); }
//@ __value_erff: erff
__device__ inline float __value_erff(float x) { return erff(x); }
//@ __value_exp10f: exp10f
__device__ inline float __value_exp10f(float x) { return exp10f(x); }
//@ __value_exp2f
__device__ inline float __value_exp2f(float x) { return exp2f(x); }
//@ __value_expf: expf
__device__ inline float __value_expf(float x) { return expf(x); }
//@ __value_expm1f: expm1f
__device__ inline float __value_expm1f(float x) { return expm1f(x); }
//@ __value_fabsf
__device__ inline float __value_fabsf(float x) { return fabsf(x); }
//@ __value_floorf
__device__ inline float __value_floorf(float x) { return floorf(x); }
//@ __value_lgammaf: lgammaf
__device__ inline float __value_lgammaf(float x) { return lgammaf(x); }
//@ __value_log10f: log10f
__device__ inline float __value_log10f(float x) { return log10f(x); }
//@ __value_log1pf: log1pf
__device__ inline float __value_log1pf(float x) { return log1pf(x); }
//@ __value_log2f: log2f
__device__ inline float __value_log2f(float x) { return log2f(x); }
//@ __value_logbf: logbf
__device__ inline float __value_logbf(float x) { return logbf(x); }
//@ __value_logf: logf
__device__ inline float __value_logf(float x) { return logf(x); }
//@ __value_nearbyintf
__device__ inline float __value_nearbyintf(float x) { return nearbyintf(x); }
//@ __value_normcdff: normcdff
__device__ inline float __value_normcdff(float x) { return normcdff(x); }
//@ __value_rcbrtf: rcbrtf
__device__ inline float __value_rcbrtf(float x) { return rcbrtf(x); }
//@ __value_rintf
__device__ inline float __value_rintf(float x) { return rintf(x); }
//@ __value_roundf
__device__ inline float __value_roundf(float x) { return roundf(x); }
//@ __value_rsqrtf
__device__ inline float __value_rsqrtf(float x) { return rsqrtf(x); }
//@ __value_sinf: sinf
__device__ inline float __value_sinf(float x) { return sinf(x); }
//@ __value_sinhf: sinhf
__device__ inline float __value_sinhf(float x) { return sinhf(x); }
//@ __value_sinpif: sinpif
__device__ inline float __value_sinpif(float x) { return sinpif(x); }
//@ __value_sqrtf
__device__ inline float __value_sqrtf(float x) { return sqrtf(x); }
//@ __value_tanf: tanf
__device__ inline float __value_tanf(float x) { return tanf(x); }
//@ __value_tanhf
__device__ inline float __value_tanhf(float x) { return tanhf(x); }
//@ __value_tgammaf: tgammaf
__device__ inline float __value_tgammaf(float x) { return tgammaf(x); }
//@ __value_truncf
__device__ inline float __value_truncf(float x) { return truncf(x); }
//@ __value___cosf
__device__ inline float __value___cosf(float x) { return __cosf(x); }
//@ __value___exp10f
__device__ inline float __value___exp10f(float x) { return __exp10f(x); }
//@ __value___expf
__device__ inline float __value___expf(float x) { return __expf(x); }
//@ __value___log10f
__device__ inline float __value___log10f(float x) { return __log10f(x); }
//@ __value___log2f
__device__ inline float __value___log2f(float x) { return __log2f(x); }
//@ __value___logf
__device__ inline float __value___logf(float x) { return __logf(x); }
//@ __value___saturatef
__device__ inline float __value___saturatef(float x) { return __saturatef(x); }
//@ __value___sinf
__device__ inline float __value___sinf(float x) { return __sinf(x); }
//@ __value___tanf
__device__ inline float __value___tanf(float x) { return __tanf(x); }
//@ __value_atan2f: atan2f
__device__ inline float __value_atan2f(float x, float y) { return atan2f(x, y); }
//@ __value_copysignf
__device__ inline float __value_copysignf(float x, float y) { return copysignf(x, y); }
//@ __value_fdimf: fdimf
__device__ inline float __value_fdimf(float x, float y) { return fdimf(x, y); }
//@ __value_fmaxf
__device__ inline float __value_fmaxf(float x, float y) { return fmaxf(x, y); }
//@ __value_fminf
__device__ inline float __value_fminf(float x, float y) { return fminf(x, y); }
//@ __value_fmodf: fmodf
__device__ inline float __value_fmodf(float x, float y) { return fmodf(x, y); }
//@ __value_hypotf: hypotf
__device__ inline float __value_hypotf(float x, float y) { return hypotf(x, y); }
//@ __value_powf: powf
__device__ inline float __value_powf(float x, float y) { return powf(x, y); }
//@ __value_remainderf: remainderf
__device__ inline float __value_remainderf(float x, float y) { return remainderf(x, y); }
//@ __value___fdividef
__device__ inline float __value___fdividef(float x, float y) { return __fdividef(x, y); }
//@ __value___powf
__device__ inline float __value___powf(float x, float y) { return __powf(x, y); }
//@ __value___popc
__device__ inline int __value___popc(unsigned x) { return __popc(x); }
//@ __value___clz
__device__ inline int __value___clz(int x) { return __clz(x); }
//@ __value___ffs
__device__ inline int __value___ffs(int x) { return __ffs(x); }
//@ __value___brev
__device__ inline unsigned __value___brev(unsigned x) { return __brev(x); }
