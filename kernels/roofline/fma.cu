// The roofs of the pipes that multiply and add: a thread has eight numbers, so that none waits for
// itself. A `halves` is two half-precision numbers in a word.
struct halves {
    unsigned bits;
};

__device__ float multiply_add(float x, float factor, float addend) { return fmaf(x, factor, addend); }
__device__ double multiply_add(double x, double factor, double addend) { return fma(x, factor, addend); }
__device__ halves multiply_add(halves x, halves factor, halves addend)
{
    halves y;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(y.bits) : "r"(x.bits), "r"(factor.bits), "r"(addend.bits));
    return y;
}

template <typename Number>
__device__ void multiply_add_all(const Number* x, Number* y, unsigned items, unsigned times, Number factor,
                                 Number addend)
{
    const unsigned first = blockIdx.x * 2048 + threadIdx.x;
    Number now[8];
    for (unsigned k = 0; k < 8; ++k)
        now[k] = first + k * 256 < items ? x[first + k * 256] : addend;
#pragma unroll 16
    for (unsigned time = 0; time < times; ++time)
        for (unsigned k = 0; k < 8; ++k)
            now[k] = multiply_add(now[k], factor, addend);
    for (unsigned k = 0; k < 8; ++k)
        if (first + k * 256 < items)
            y[first + k * 256] = now[k];
}

extern "C" __global__ void fma_f32(const float* __restrict__ x, float* __restrict__ y, unsigned items,
                                   unsigned times, float factor, float addend)
{
    multiply_add_all(x, y, items, times, factor, addend);
}

extern "C" __global__ void fma_f64(const double* __restrict__ x, double* __restrict__ y,
                                   unsigned items, unsigned times, double factor, double addend)
{
    multiply_add_all(x, y, items, times, factor, addend);
}

extern "C" __global__ void fma_half2(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                     unsigned items, unsigned times, unsigned factor, unsigned addend)
{
    const halves* from = reinterpret_cast<const halves*>(x);
    halves* to = reinterpret_cast<halves*>(y);
    multiply_add_all(from, to, items, times, halves{factor}, halves{addend});
}
