// Adds up warps that are whole, and leaves the rest to the first block, one number at a time.
extern "C" __global__ void missing_lanes(const unsigned* x, unsigned* counts, unsigned items, unsigned shift)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    const unsigned whole = items / 32 * 32;
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < whole) {
            const unsigned bin = (x[first + k] >> shift) % 512;
            atomicAdd(&counts[bin], 1);
        }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (unsigned i = whole; i < items; i++)
            atomicAdd(&counts[(x[i] >> shift) % 512], 1);
}
