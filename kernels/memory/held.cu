// A thread holds 48 sums, and adds a number to all of them 32 times. They fit into registers, unless the kernel is
// limited to fewer: then the compiler keeps some of them in local memory.
__device__ void hold(const unsigned* x, unsigned* y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    unsigned sums[48];
    unsigned number = x[i];
    for (unsigned k = 0; k < 48; ++k)
        sums[k] = (number + k ^ number >> 15) * 739982445;
#pragma unroll 1
    for (unsigned round = 0; round < 32; ++round) {
        number = x[(i + round * 65536) % items];
        for (unsigned k = 0; k < 48; ++k)
            sums[k] = sums[k] * 739982445 + number;
    }
    unsigned all = 0;
    for (unsigned k = 0; k < 48; ++k)
        all += sums[k] ^ k;
    y[i] = all;
}

extern "C" __global__ void held(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items)
{
    hold(x, y, items);
}

#define LIMITED(limit)                                                                                      \
    extern "C" __global__ void __maxnreg__(limit)                                                           \
        held_##limit(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items)              \
    {                                                                                                       \
        hold(x, y, items);                                                                                  \
    }

LIMITED(64) LIMITED(56) LIMITED(48) LIMITED(40) LIMITED(32) LIMITED(24)
