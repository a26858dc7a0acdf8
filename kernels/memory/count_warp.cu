// How many numbers are odd: a thread counts its sixteen, the warp adds them up, and one lane adds the warp's count.
extern "C" __global__ void count_warp(const unsigned* __restrict__ numbers, unsigned* __restrict__ total,
                                      unsigned items)
{
    const unsigned first = blockIdx.x * 4096 + threadIdx.x;
    unsigned found[16];
    for (unsigned k = 0; k < 16; ++k)
        found[k] = first + k * 256 < items ? numbers[first + k * 256] : 0;
    unsigned mine = 0;
    for (unsigned k = 0; k < 16; ++k)
        mine += found[k] % 2;
    const unsigned warps = __reduce_add_sync(~0u, mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, warps);
}
