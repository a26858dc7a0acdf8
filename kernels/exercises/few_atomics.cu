// A histogram of 512 bins: counts[(x[i] >> shift) % 512] grows by 1.
//
// x: items numbers, of which those that lie near each other fall into few bins, side by side;
// counts: 512, all zero before the launch. Block 256; it covers 1024 items, four a thread.

extern "C" __global__ void few_atomics(const unsigned* __restrict__ x, unsigned* __restrict__ counts,
                                       unsigned items, unsigned shift)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;

//@ starter
    // TODO The counts are right. But every warp goes to global memory with every number, where
    // blocks wait for each other. Count in shared memory, and add to counts once for each bin
    // that the block has met: there are few.
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&counts[(x[first + k] >> shift) % 512], 1);
//@ solution
    __shared__ unsigned own[512];
    own[threadIdx.x] = 0;
    own[threadIdx.x + 256] = 0;
    __syncthreads();

    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    __syncthreads();

    // A bin that nobody has met needs no addition.
    for (unsigned bin = threadIdx.x; bin < 512; bin += 256)
        if (own[bin] != 0)
            atomicAdd(&counts[bin], own[bin]);
//@ one_warp_adds
    __shared__ unsigned own[512];
    for (unsigned bin = threadIdx.x; bin < 512; bin += 256)
        own[bin] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        for (unsigned bin = threadIdx.x; bin < 512; bin += 32)
            if (own[bin] > 0)
                atomicAdd(&counts[bin], own[bin]);
//@ empty_ones_too
    __shared__ unsigned own[512];
    own[threadIdx.x] = 0;
    own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 512; bin += 256)
        atomicAdd(&counts[bin], own[bin]);
//@ half_cleared
    __shared__ unsigned own[512];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 512; bin += 256)
        if (own[bin] != 0)
            atomicAdd(&counts[bin], own[bin]);
//@ half_added
    __shared__ unsigned own[512];
    own[threadIdx.x] = 0;
    own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    __syncthreads();
    if (own[threadIdx.x] != 0)
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
//@ no_barrier
    __shared__ unsigned own[512];
    own[threadIdx.x] = 0;
    own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    for (unsigned bin = threadIdx.x; bin < 512; bin += 256)
        if (own[bin] != 0)
            atomicAdd(&counts[bin], own[bin]);
//@ plain_sum
    __shared__ unsigned own[512];
    own[threadIdx.x] = 0;
    own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 512; bin += 256)
        if (own[bin] != 0)
            counts[bin] += own[bin];
//@ end
}
