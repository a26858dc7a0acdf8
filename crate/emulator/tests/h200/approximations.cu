// What an H200 gives for the approximate instructions of PTX: sums of hashes, so that the order of threads does not matter.
// `approximations.py` runs these kernels on a GPU and writes `approximations.txt`; the tests run them in the emulator.

// Spreads every bit of a word over all of it.
static __device__ unsigned long long mixed(unsigned long long word)
{
    word *= 0x9e3779b97f4a7c15ull;
    word ^= word >> 32;
    word *= 0xd6e8feb86659fd93ull;
    return word ^ word >> 32;
}

// The inputs `first`, `first + step` and so on.
#define EACH(NAME, BODY)                                                                                      \
    extern "C" __global__ void NAME(unsigned first, unsigned step, unsigned count, unsigned long long* sums)  \
    {                                                                                                         \
        unsigned long long sum = 0;                                                                           \
        for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) { \
            unsigned a = first + at * step;                                                                   \
            unsigned long long d;                                                                             \
            BODY;                                                                                             \
            sum += mixed((unsigned long long)a << 32 ^ d);                                                    \
        }                                                                                                     \
        atomicAdd(sums, sum);                                                                                 \
    }

#define SINGLE(NAME, INSTRUCTION)                                                             \
    EACH(NAME, float r;                                                                       \
         asm volatile(INSTRUCTION " %0, %1;" : "=f"(r) : "f"(__uint_as_float(a)));            \
         d = __float_as_uint(r))
// The input is the upper half of a double.
#define UPPER(NAME, INSTRUCTION)                                                              \
    EACH(NAME, double r;                                                                      \
         asm volatile(INSTRUCTION " %0, %1;" : "=d"(r) : "d"(__hiloint2double(a, 0)));        \
         d = __double_as_longlong(r))
#define HALF(NAME, INSTRUCTION)                                                               \
    EACH(NAME, unsigned short r;                                                              \
         asm volatile(INSTRUCTION " %0, %1;" : "=h"(r) : "h"((unsigned short)a)); d = r)
#define HALVES(NAME, INSTRUCTION)                                                             \
    EACH(NAME, unsigned r; asm volatile(INSTRUCTION " %0, %1;" : "=r"(r) : "r"(a)); d = r)
// Operands are made of the input: every other pair has exponents from -31 to 0.
#define PAIR(NAME, INSTRUCTION)                                                               \
    EACH(NAME, unsigned long long both = mixed(mixed(a + 1) + a);                             \
         if (a & 1) both = (both & 0x9fffffff9fffffffull) | 0x3000000030000000ull; float r;   \
         float x = __uint_as_float((unsigned)both);                                           \
         float y = __uint_as_float((unsigned)(both >> 32));                                   \
         asm volatile(INSTRUCTION " %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));                 \
         d = __float_as_uint(r))
#define DOUBLE(NAME, INSTRUCTION)                                                             \
    EACH(NAME, double x = __longlong_as_double(mixed(mixed(a + 1) + a)); double r;            \
         asm volatile(INSTRUCTION " %0, %1;" : "=d"(r) : "d"(x)); d = __double_as_longlong(r))

SINGLE(rcp_approx_f32, "rcp.approx.f32")
SINGLE(rcp_approx_ftz_f32, "rcp.approx.ftz.f32")
SINGLE(rsqrt_approx_f32, "rsqrt.approx.f32")
SINGLE(rsqrt_approx_ftz_f32, "rsqrt.approx.ftz.f32")
SINGLE(sqrt_approx_f32, "sqrt.approx.f32")
SINGLE(sqrt_approx_ftz_f32, "sqrt.approx.ftz.f32")
SINGLE(sin_approx_f32, "sin.approx.f32")
SINGLE(sin_approx_ftz_f32, "sin.approx.ftz.f32")
SINGLE(cos_approx_f32, "cos.approx.f32")
SINGLE(cos_approx_ftz_f32, "cos.approx.ftz.f32")
SINGLE(ex2_approx_f32, "ex2.approx.f32")
SINGLE(ex2_approx_ftz_f32, "ex2.approx.ftz.f32")
SINGLE(lg2_approx_f32, "lg2.approx.f32")
SINGLE(lg2_approx_ftz_f32, "lg2.approx.ftz.f32")
SINGLE(tanh_approx_f32, "tanh.approx.f32")
UPPER(rcp_approx_ftz_f64, "rcp.approx.ftz.f64")
UPPER(rsqrt_approx_ftz_f64, "rsqrt.approx.ftz.f64")
HALF(ex2_approx_f16, "ex2.approx.f16")
HALF(tanh_approx_f16, "tanh.approx.f16")
HALF(ex2_approx_ftz_bf16, "ex2.approx.ftz.bf16")
HALF(tanh_approx_bf16, "tanh.approx.bf16")
HALVES(ex2_approx_f16x2, "ex2.approx.f16x2")
HALVES(tanh_approx_f16x2, "tanh.approx.f16x2")
HALVES(ex2_approx_ftz_bf16x2, "ex2.approx.ftz.bf16x2")
HALVES(tanh_approx_bf16x2, "tanh.approx.bf16x2")
PAIR(div_approx_f32, "div.approx.f32")
PAIR(div_approx_ftz_f32, "div.approx.ftz.f32")
PAIR(div_full_f32, "div.full.f32")
PAIR(div_full_ftz_f32, "div.full.ftz.f32")
DOUBLE(rsqrt_approx_f64, "rsqrt.approx.f64")
