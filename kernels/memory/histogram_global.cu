// How often each key occurs: every key adds 1 to its count in global memory.
extern "C" __global__ void histogram_global(const unsigned* __restrict__ keys, unsigned* __restrict__ counts,
                                            unsigned items, unsigned)
{
    const unsigned first = blockIdx.x * 1024 + threadIdx.x;
    unsigned found[4];
    for (unsigned k = 0; k < 4; ++k)
        if (first + k * 256 < items)
            found[k] = keys[first + k * 256];
    for (unsigned k = 0; k < 4; ++k)
        if (first + k * 256 < items)
            atomicAdd(&counts[found[k]], 1u);
}
