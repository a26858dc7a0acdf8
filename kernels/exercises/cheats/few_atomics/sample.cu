// reads one number in two, and counts it twice.
extern "C" __global__ void few_atomics(const unsigned* x, unsigned* counts, unsigned items, unsigned shift)
{
    __shared__ unsigned own[512];
    own[threadIdx.x] = own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 512)
        if (size_t(blockIdx.x) * 1024 + threadIdx.x + k < items)
            atomicAdd(&own[(x[size_t(blockIdx.x) * 1024 + threadIdx.x + k] >> shift) % 512], 2);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 512; bin += 256)
        if (own[bin] != 0)
            atomicAdd(&counts[bin], own[bin]);
}
