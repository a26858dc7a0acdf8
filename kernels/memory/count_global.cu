// How many numbers are odd: one counter for all threads, which every odd number adds 1 to.
extern "C" __global__ void count_global(const unsigned* __restrict__ numbers, unsigned* __restrict__ total,
                                        unsigned items)
{
    const unsigned first = blockIdx.x * 1024 + threadIdx.x;
    unsigned found[4];
    for (unsigned k = 0; k < 4; ++k)
        found[k] = first + k * 256 < items ? numbers[first + k * 256] : 0;
    for (unsigned k = 0; k < 4; ++k)
        if (found[k] % 2 == 1)
            atomicAdd(total, 1u);
}
