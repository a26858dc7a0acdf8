// Two branches, and groups of `period` threads that take them in turns.
__device__ unsigned multiplied(unsigned x)
{
    for (unsigned k = 0; k < 64; ++k)
        x = (x ^ x >> 15) * 739982445;
    return x;
}

__device__ unsigned shifted(unsigned x)
{
    for (unsigned k = 0; k < 32; ++k) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

extern "C" __global__ void branch(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                  unsigned items, unsigned period)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    if (i / period % 2 == 0)
        y[i] = multiplied(x[i]);
    else
        y[i] = shifted(x[i]);
}
