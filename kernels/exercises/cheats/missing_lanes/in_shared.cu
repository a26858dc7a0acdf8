// Counts in shared memory, and leaves the lanes of a warp out of it.
extern "C" __global__ void missing_lanes(const unsigned* x, unsigned* counts, unsigned items, unsigned shift)
{
    __shared__ unsigned own[512];
    own[threadIdx.x] = own[threadIdx.x + 256] = 0;
    __syncthreads();
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 512; bin += 256)
        if (own[bin] != 0)
            atomicAdd(&counts[bin], own[bin]);
}
