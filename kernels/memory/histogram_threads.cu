// How often each key occurs: every thread has counts of its own in shared memory, at most 32, and needs no atomics for
// them. A thread's counts lie in one bank. A warp adds up the block's 256 copies of a count.
extern "C" __global__ void histogram_threads(const unsigned* __restrict__ keys, unsigned* __restrict__ counts,
                                             unsigned items, unsigned bins)
{
    __shared__ unsigned copies[32 * 256];
    unsigned* mine = copies + threadIdx.x;
    for (unsigned bin = 0; bin < bins; ++bin)
        mine[bin * 256] = 0;
    const unsigned first = blockIdx.x * 32768;
    const unsigned here = min(items - first, 32768u);
    for (unsigned i = threadIdx.x; i < here; i += 8 * 256) {
        unsigned found[8];
        for (unsigned k = 0; k < 8; ++k)
            if (i + k * 256 < here)
                found[k] = keys[first + i + k * 256];
        for (unsigned k = 0; k < 8; ++k)
            if (i + k * 256 < here)
                mine[found[k] * 256] += 1;
    }
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    for (unsigned bin = threadIdx.x / 32; bin < bins; bin += 8) {
        unsigned sum = 0;
        for (unsigned thread = lane; thread < 256; thread += 32)
            sum += copies[bin * 256 + thread];
        sum = __reduce_add_sync(~0u, sum);
        if (lane == 0)
            atomicAdd(&counts[bin], sum);
    }
}
