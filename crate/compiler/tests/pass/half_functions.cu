// Functions of half precision.
//# arch compute_80
//# block 32
#include <cuda_fp16.h>
extern "C" __global__ void test(const float *in, float *out, const half2 *x, half *y) {
  half2 a = __floats2half2_rn(in[2 * threadIdx.x], in[2 * threadIdx.x + 1]);
  half2 b = __float2half2_rn(0.5f);
  half2 c = __hfma2(a, b, a);
  c = __hadd2(c, __hmul2(a, a)); c = a * b + c - b / a;
  half s = __hadd(__low2half(c), __high2half(c));
  s += half(1.5f); s = s * half(2) ; if (s > half(3.f) && __hgt(s, __float2half(1.f))) s = -s;
  s = __hmax(s, half(-4.f)); half2 m = __hmax2(a, b); 
  half e = hexp(__low2half(a)), l = hlog(half(2.5f)), q = hsqrt(half(2.f)), r = hrcp(half(3.f)), rs = hrsqrt(half(7.f));
  half sn = hsin(__low2half(a)), cs = hcos(__low2half(a)), e2 = hexp2(__low2half(a)), e10 = hexp10(__low2half(b)), l2 = hlog2(half(3.f)), l10 = hlog10(half(3.f));
  half2 h2 = h2exp(a), h2s = h2sqrt(__habs2(a)), h2r = h2rcp(b);
  half f = hfloor(s), ce = hceil(s), tr = htrunc(s), ri = hrint(s);
  y[threadIdx.x] = f + ce + tr + ri + e + l + q + r + rs;
  y[32 + threadIdx.x] = sn; y[64 + threadIdx.x] = cs; y[96 + threadIdx.x] = e2; y[128 + threadIdx.x] = e10 + l2 + l10;
  float2 w = __half22float2(__hadd2(h2, __hadd2(h2s, h2r)));
  out[threadIdx.x] = __half2float(s) + w.x * w.y + __low2float(m) + (float)__high2half(c);
}
