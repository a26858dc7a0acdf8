// How often each key occurs: a block counts its keys in shared memory, at most 8192 different ones, and adds its counts
// to those in global memory at the end.
extern "C" __global__ void histogram_shared(const unsigned* __restrict__ keys, unsigned* __restrict__ counts,
                                            unsigned items, unsigned bins)
{
    __shared__ unsigned mine[8192];
#pragma unroll 1
    for (unsigned bin = threadIdx.x; bin < bins; bin += 512)
        mine[bin] = 0;
    __syncthreads();
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
    for (unsigned bin = threadIdx.x; bin < bins; bin += 512)
        atomicAdd(&counts[bin], mine[bin]);
}
