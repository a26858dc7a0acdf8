// A thread's own table of 8 or 32 words in shared memory, laid out as local memory is: word by word, the threads side by
// side.
__device__ unsigned mixed(unsigned x)
{
    return (x ^ x >> 15) * 739982445;
}

template<unsigned words>
__device__ void own(const unsigned* x, unsigned* y, unsigned items, unsigned spread)
{
    __shared__ unsigned tables[words][256];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    for (unsigned k = 0; k < words; ++k)
        tables[k][threadIdx.x] = mixed(x[i] + k);
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 64; ++k)
        sum = mixed(sum) ^ tables[(i * spread + k) % words][threadIdx.x];
    y[i] = sum;
}

extern "C" __global__ void own_lanes_8(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                       unsigned items, unsigned spread)
{
    own<8>(x, y, items, spread);
}

extern "C" __global__ void own_lanes_32(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                        unsigned items, unsigned spread)
{
    own<32>(x, y, items, spread);
}
