// Arithmetic of all widths. The test computes the same on the host.
typedef unsigned long long u64;
typedef long long s64;

extern "C" __global__ void ints(const int* x, const int* y, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = x[i], b = y[i];
    unsigned ua = a, ub = b;
    int* o = out + i * 20;
    o[0] = b ? a / b : 0;
    o[1] = b ? a % b : 0;
    o[2] = ub ? ua / ub : 0;
    o[3] = ub ? ua % ub : 0;
    o[4] = __mulhi(a, b);
    o[5] = __umulhi(ua, ub);
    o[6] = __popc(ua) + __clz(a) * 100 + __ffs(a) * 10000;
    o[7] = __brev(ua);
    o[8] = __byte_perm(ua, ub, 0x7531);
    o[9] = __funnelshift_l(ua, ub, b & 63);
    o[10] = __funnelshift_rc(ua, ub, b & 63);
    o[11] = __usad(ua, ub, 7u) + __sad(a, b, 5);
    o[12] = min(a, b) ^ max(ua, ub);
    o[13] = abs(a) + (a >> (b & 31)) + (ua >> (b & 31)) + (ua << (b & 31));
    o[14] = (short)a * (short)b + (signed char)a + (unsigned char)b;
    o[15] = __dp4a(a, b, 9) + (int)__dp4a(ua, ub, 9u);
    unsigned f, g;
    asm("bfi.b32 %0, %1, %2, 5, 9;" : "=r"(f) : "r"(ua), "r"(ub));
    asm("bfe.s32 %0, %1, 7, 11;" : "=r"(g) : "r"(ua));
    o[16] = f;
    o[17] = g;
    asm("lop3.b32 %0, %1, %2, %3, 0xb8;" : "=r"(f) : "r"(ua), "r"(ub), "r"(0x0ff0u));
    o[18] = f;
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(f) : "r"(ua));
    o[19] = f;
}

extern "C" __global__ void longs(const s64* x, const s64* y, s64* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s64 a = x[i], b = y[i];
    u64 ua = a, ub = b;
    s64* o = out + i * 8;
    o[0] = b ? a / b : 0;
    o[1] = b ? a % b : 0;
    o[2] = ub ? ua / ub : 0;
    o[3] = ub ? ua % ub : 0;
    o[4] = __mul64hi(a, b) + __umul64hi(ua, ub);
    o[5] = __popcll(ua) + __clzll(a) + (s64)__brevll(ua);
    o[6] = (a >> (b & 63)) ^ (ua >> (b & 63)) ^ (ua << (b & 63));
    o[7] = a * b + min(a, b) - max(ua, ub);
}

extern "C" __global__ void floats(const float* x, const float* y, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i];
    float* o = out + i * 16;
    o[0] = __fadd_rn(a, b);
    o[1] = __fmul_rn(a, b);
    o[2] = __fdiv_rn(a, b);
    o[3] = __fsqrt_rn(a);
    o[4] = fmaf(a, b, 1.0f);
    o[5] = __fadd_rd(a, b);
    o[6] = __fmul_ru(a, b);
    o[7] = __fmaf_rz(a, b, -1.0f);
    o[8] = fminf(a, b);
    o[9] = fmaxf(a, b);
    o[10] = floorf(a) + truncf(b);
    o[11] = rintf(a) - ceilf(b);
    o[12] = fabsf(a) + copysignf(1.0f, b);
    o[13] = __saturatef(a);
    o[14] = a < b ? 1.0f : a == b ? 2.0f : a > b ? 3.0f : 4.0f;
    o[15] = __frcp_rn(a);
}

extern "C" __global__ void doubles(const double* x, const double* y, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[i], b = y[i];
    double* o = out + i * 8;
    o[0] = a + b;
    o[1] = a * b;
    o[2] = a / b;
    o[3] = sqrt(a);
    o[4] = fma(a, b, 1.0);
    o[5] = __dadd_ru(a, b);
    o[6] = __dmul_rd(a, b);
    o[7] = fmin(a, b) + fmax(a, b) * 0.5;
}

extern "C" __global__ void conversions(const float* x, const int* y, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float f = x[i];
    int v = y[i];
    double* o = out + i * 14;
    o[0] = (int)f;
    o[1] = (unsigned)f;
    o[2] = (double)(s64)f;
    o[3] = (float)v;
    o[4] = (float)(unsigned)v;
    o[5] = (double)v * 1e10;
    o[6] = (float)((s64)v * 12345678901LL);
    o[7] = __float2int_rd(f) + __float2int_ru(f) * 2.0;
    o[8] = (short)v + (signed char)v * 2.0;
    o[9] = (unsigned char)f;
    o[10] = (double)(u64)(f * f);
    o[11] = (float)((double)v / 3);
    o[12] = __uint_as_float((unsigned)v & 0x7f7fffffu);
    o[13] = (double)__double2int_rn(f * 1.5);
}

extern "C" __global__ void approximate(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i];
    float* o = out + i * 8;
    o[0] = __expf(a);
    o[1] = __logf(fabsf(a) + 0.5f);
    o[2] = __sinf(a);
    o[3] = __cosf(a);
    o[4] = rsqrtf(fabsf(a) + 0.5f);
    o[5] = __fdividef(a, 3.0f);
    o[6] = expf(a) + sinf(a);
    o[7] = powf(fabsf(a) + 0.1f, 1.5f) + tanhf(a) + logf(fabsf(a) + 1.0f);
}

// Half precision by its own instructions, so that no header is needed.
extern "C" __global__ void halves(const float* x, const float* y, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned short a, b, c;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(a) : "f"(x[i]));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(b) : "f"(y[i]));
    asm("add.f16 %0, %1, %2;" : "=h"(c) : "h"(a), "h"(b));
    asm("cvt.f32.f16 %0, %1;" : "=f"(out[i * 4]) : "h"(c));
    asm("mul.f16 %0, %1, %2;" : "=h"(c) : "h"(a), "h"(b));
    asm("cvt.f32.f16 %0, %1;" : "=f"(out[i * 4 + 1]) : "h"(c));
    asm("fma.rn.f16 %0, %1, %2, %1;" : "=h"(c) : "h"(a), "h"(b));
    asm("cvt.f32.f16 %0, %1;" : "=f"(out[i * 4 + 2]) : "h"(c));
    unsigned p = a | (unsigned)b << 16, q;
    asm("sub.f16x2 %0, %1, %2;" : "=r"(q) : "r"(p), "r"(0x3c003c00u));
    c = q >> 16;
    asm("cvt.f32.f16 %0, %1;" : "=f"(out[i * 4 + 3]) : "h"(c));
}

// A product of two 128-bit numbers and a sum and difference, by the carry flag, in words and in longs.
extern "C" __global__ void carries(const u64* x, u64* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 al = x[i * 4], ah = x[i * 4 + 1], bl = x[i * 4 + 2], bh = x[i * 4 + 3], l, h;
    asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;" : "=l"(l), "=l"(h) : "l"(al), "l"(ah), "l"(bl), "l"(bh));
    out[i * 8] = l;
    out[i * 8 + 1] = h;
    asm("sub.cc.u64 %0, %2, %4;\n\tsubc.u64 %1, %3, %5;" : "=l"(l), "=l"(h) : "l"(al), "l"(ah), "l"(bl), "l"(bh));
    out[i * 8 + 2] = l;
    out[i * 8 + 3] = h;
    asm("mul.lo.u64 %0, %2, %4;\n\tmul.hi.u64 %1, %2, %4;\n\tmad.lo.u64 %1, %2, %5, %1;\n\tmad.lo.u64 %1, %3, %4, %1;"
        : "=&l"(l), "=&l"(h) : "l"(al), "l"(ah), "l"(bl), "l"(bh));
    out[i * 8 + 4] = l;
    out[i * 8 + 5] = h;
    unsigned a0 = al, a1 = al >> 32, b0 = bl, r0, r1, r2;
    asm("mul.lo.u32 %0, %3, %5;\n\tmul.hi.u32 %1, %3, %5;\n\tmad.lo.cc.u32 %1, %4, %5, %1;\n\tmadc.hi.u32 %2, %4, %5, 0;"
        : "=&r"(r0), "=&r"(r1), "=&r"(r2) : "r"(a0), "r"(a1), "r"(b0));
    out[i * 8 + 6] = (u64)r1 << 32 | r0;
    asm("add.cc.u32 %0, %1, %2;\n\taddc.cc.u32 %0, %1, 0;\n\taddc.u32 %0, 7, 0;" : "=r"(r0) : "r"(a0), "r"(b0));
    out[i * 8 + 7] = (u64)r2 << 32 | r0;
}
