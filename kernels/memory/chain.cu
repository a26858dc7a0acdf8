// Chains: no step can begin before the one before it has ended. One thread goes them, through registers, and from word to
// word of a ring in shared, local or global memory, each of which names the next.
extern "C" __global__ void chain_registers(const unsigned* __restrict__ from, unsigned* __restrict__ to, unsigned items,
                                           unsigned factor)
{
    if (threadIdx.x != 0)
        return;
    unsigned at = *from;
#pragma unroll 128
    for (unsigned step = 0; step < items; ++step)
        at = at * factor + 12345;
    *to = at;
}

// The number of a word's first byte, so that nothing is left to compute between two loads.
__device__ unsigned next(const unsigned* ring, unsigned at)
{
    return *(const unsigned*)((const char*)ring + at);
}

extern "C" __global__ void chain_shared(unsigned* ring, unsigned* last, unsigned items)
{
    __shared__ unsigned here[1024];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 1024; i += 32)
        here[i] = ring[i] * 4;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    unsigned at = 0;
#pragma unroll 32
    for (unsigned step = 0; step < items; ++step)
        at = next(here, at);
    *last = at / 4;
}

extern "C" __global__ void chain_local(unsigned* ring, unsigned* last, unsigned items)
{
    if (threadIdx.x != 0)
        return;
    unsigned here[1024];
    for (unsigned i = 0; i < 1024; ++i)
        here[i] = ring[i] * 4;
    unsigned at = 0;
#pragma unroll 32
    for (unsigned step = 0; step < items; ++step)
        at = next(here, at);
    *last = at / 4;
}

extern "C" __global__ void chain_far(const unsigned* __restrict__ ring, unsigned* __restrict__ last, unsigned items)
{
    if (threadIdx.x != 0)
        return;
    unsigned at = 0;
#pragma unroll 1
    for (unsigned step = 0; step < items; ++step)
        at = ring[at];
    *last = at;
}
