// How often each key occurs: every warp has counts of its own in shared memory, at most 512. The block adds them up and
// adds the sums to the counts in global memory.
extern "C" __global__ void histogram_warps(const unsigned* __restrict__ keys, unsigned* __restrict__ counts,
                                           unsigned items, unsigned bins)
{
    __shared__ unsigned copies[16 * 512];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 16 * bins; i += 512)
        copies[i] = 0;
    __syncthreads();
    unsigned* mine = copies + threadIdx.x / 32 * bins;
    const unsigned first = blockIdx.x * 32768;
    const unsigned here = min(items - first, 32768u);
    for (unsigned i = threadIdx.x; i < here; i += 8 * 512) {
        unsigned found[8];
        for (unsigned k = 0; k < 8; ++k)
            if (i + k * 512 < here)
                found[k] = keys[first + i + k * 512];
        for (unsigned k = 0; k < 8; ++k)
            if (i + k * 512 < here)
                atomicAdd(&mine[found[k]], 1u);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += 512) {
        unsigned sum = 0;
        for (unsigned warp = 0; warp < 16; ++warp)
            sum += copies[warp * bins + bin];
        atomicAdd(&counts[bin], sum);
    }
}
