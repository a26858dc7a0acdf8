// What arithmetic becomes, a kernel each: counted with ncu by metric in arithmetic.csv, launched with 3 blocks of 256 threads,
// n = 700, and x[i] = 1 + (i % 7) / 4 for i below 65536. Compiled by nvcc 13.0 for sm_90; the lines' places are left out of
// the PTX.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
#define K extern "C" __global__ void
#define I unsigned i = blockIdx.x * blockDim.x + threadIdx.x
K mix(float* x, unsigned n) { I; if (i >= n) return; float a = x[i]; a = a * 1.5f; a = a + 2.0f; a = fmaf(a, a, 3.0f); a = a - x[i]; x[i] = a; }
K lanes(float* x, unsigned n) { I; if (i >= n) return; float a = x[i]; for (unsigned k = 0; k < (i % 32) + 3; ++k) a = fmaf(a, 0.5f, 1.0f); if (i % 3 == 0) a += 1.0f; else a *= 3.0f; x[i] = a; }
K roots(float* x, unsigned n) { I; if (i >= n) return; float a = x[i]; a = a / (1.0f + x[i + 1]); a += sqrtf(a); a += rsqrtf(a); a += __fdividef(a, 3.0f); a += 1.0f / a; x[i] = a; }
K powers(float* x, unsigned n) { I; if (i >= n) return; float a = x[i]; a += expf(a) + exp2f(a) + __expf(a) + logf(a) + __sinf(a) + __cosf(a) + tanhf(a); x[i] = a; }
K doubles(float* x, unsigned n) { I; if (i >= n) return; double a = x[i], b = a * 1.25; b = b + 3.0; b = fma(a, b, b); b -= a; b /= a + 1.0; b += sqrt(b); x[i] = (float)b; }
K halves(float* x, unsigned n) { I; if (i >= n) return; __half a = __float2half(x[i]), b = __hmul(a, __float2half(1.5f)); b = __hadd(b, a); b = __hfma(a, b, a); b = __hsub(b, a); x[i] = __half2float(b); }
K pairs(float* x, unsigned n) { I; if (i >= n) return; __half2 a = __floats2half2_rn(x[i], 2.0f), b = __hmul2(a, __floats2half2_rn(1.5f, 2.5f)); b = __hadd2(b, a); b = __hfma2(a, b, a); b = __hsub2(b, a); x[i] = __low2float(b) + __high2float(b); }
K brains(float* x, unsigned n) { I; if (i >= n) return; __nv_bfloat162 a = __floats2bfloat162_rn(x[i], 2.0f), b = __hmul2(a, a); b = __hadd2(b, a); b = __hfma2(a, b, a); x[i] = __low2float(b) + __high2float(b); }
K bounds(float* x, unsigned n) { I; if (i >= n) return; float a = x[i]; a = fmaxf(a, 0.5f); a = fminf(a, 9.0f); a = fabsf(a) > 2.0f ? -a : a; x[i] = fmaxf(a, x[i + 1]); }
K wholes(float* x, unsigned n) { I; if (i >= n) return; unsigned a = (unsigned)x[i]; a = a * 7u + 3u; a = __umulhi(a, a) + a; x[i] = (float)a; }
K adds(float* x, unsigned n) { I; if (i >= n) return; atomicAdd(&x[n + i % 7], x[i] * 2.0f); }
K shuffles(float* x, unsigned n) { I; float a = i < n ? x[i] : 0.0f; for (unsigned d = 16; d; d /= 2) a += __shfl_down_sync(~0u, a, d); if (threadIdx.x % 32 == 0) x[i] = a; }
K product(float* x, unsigned n) { __shared__ float a[16][17], b[16][17]; unsigned r = threadIdx.x / 16, c = threadIdx.x % 16; float s[4] = {}; for (unsigned k = 0; k < 64; k += 16) { a[r][c] = x[r * 64 + k + c]; b[r][c] = x[(k + r) * 16 + c + blockIdx.x * 16]; __syncthreads(); for (unsigned t = 0; t < 16; ++t) for (unsigned q = 0; q < 4; ++q) s[q] += a[r][t] * b[t][(c + q) % 16]; __syncthreads(); } I; if (i < n) x[4096 + i] = s[0] + s[1] + s[2] + s[3]; }
#define MMA(name, shape, na, nb, nc, C, ct) \
K name(float* x, unsigned n) { I; unsigned a[na], b[nb]; ct c[nc]; for (int k = 0; k < na; ++k) a[k] = 0; for (int k = 0; k < nb; ++k) b[k] = 0; for (int k = 0; k < nc; ++k) c[k] = 0; for (int t = 0; t < 5; ++t) C; if (i < n) x[i] = (float)c[0]; }
MMA(mma_f16_f32, 0, 4, 2, 4, asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(b[0]),"r"(b[1])), float)
MMA(mma_bf16, 0, 4, 2, 4, asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(b[0]),"r"(b[1])), float)
MMA(mma_f16_f16, 0, 2, 1, 2, asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%0,%1};":"+r"(c[0]),"+r"(c[1]):"r"(a[0]),"r"(a[1]),"r"(b[0])), unsigned)
MMA(mma_tf32, 0, 4, 2, 4, asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(b[0]),"r"(b[1])), float)
MMA(mma_s8, 0, 4, 2, 4, asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+r"(c[0]),"+r"(c[1]),"+r"(c[2]),"+r"(c[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(b[0]),"r"(b[1])), unsigned)
K mma_f64(float* x, unsigned n) { I; double a = x[i % 64], b = 1, c0 = 0, c1 = 0; for (int t = 0; t < 5; ++t) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(c0), "+d"(c1) : "d"(a), "d"(b)); if (i < n) x[i] = (float)(c0 + c1); }
K wmma_f16(float* x, unsigned n) { using namespace nvcuda::wmma; fragment<matrix_a, 16, 16, 16, __half, row_major> a; fragment<matrix_b, 16, 16, 16, __half, col_major> b; fragment<accumulator, 16, 16, 16, float> c; fill_fragment(a, __float2half(1.0f)); fill_fragment(b, __float2half(2.0f)); fill_fragment(c, 0.0f); for (int t = 0; t < 3; ++t) mma_sync(c, a, b, c); I; if (i < n) x[i] = c.x[0]; }
