// Multiplies without tensor cores, each thread whole elements of its own.

extern "C" __global__ void mma_epilogue(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
                                        const float* __restrict__ bias, float* __restrict__ c,
                                        unsigned m, unsigned n, unsigned k)
{
    const unsigned x = blockIdx.x * 32 + threadIdx.x;
    for (unsigned i = threadIdx.y; i < 64; i += 4) {
        const unsigned r = blockIdx.y * 64 + i;
        float sum = 0;
        for (unsigned p = 0; p < k && r < m && x < n; ++p)
            sum += __uint_as_float(unsigned(a[size_t(r) * k + p]) << 16) * __uint_as_float(unsigned(b[size_t(x) * k + p]) << 16);
        if (r < m && x < n)
            c[size_t(r) * n + x] = fmaxf(sum + bias[x], 0.0f);
    }
}
