// lets the first block count all numbers.
extern "C" __global__ void few_atomics(const unsigned* x, unsigned* counts, unsigned items, unsigned shift)
{
    __shared__ unsigned own[512];
    if (blockIdx.x != 0)
        return;
    own[threadIdx.x] = own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (size_t i = threadIdx.x; i < items; i += 256)
        atomicAdd(&own[(x[i] >> shift) % 512], 1);
    __syncthreads();
    counts[threadIdx.x] = own[threadIdx.x];
    counts[threadIdx.x + 256] = own[threadIdx.x + 256];
}
