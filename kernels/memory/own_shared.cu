// A thread's own table of 8 or 32 words in shared memory, one thread's table behind the other's.
__device__ unsigned mixed(unsigned x)
{
    return (x ^ x >> 15) * 739982445;
}

template<unsigned words>
__device__ void own(const unsigned* x, unsigned* y, unsigned items, unsigned spread)
{
    __shared__ unsigned tables[256 * words];
    unsigned* table = tables + threadIdx.x * words;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    for (unsigned k = 0; k < words; ++k)
        table[k] = mixed(x[i] + k);
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 64; ++k)
        sum = mixed(sum) ^ table[(i * spread + k) % words];
    y[i] = sum;
}

extern "C" __global__ void own_shared_8(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                        unsigned items, unsigned spread)
{
    own<8>(x, y, items, spread);
}

extern "C" __global__ void own_shared_32(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                         unsigned items, unsigned spread)
{
    own<32>(x, y, items, spread);
}
