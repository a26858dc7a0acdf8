// The sums of all numbers up to each, in runs of 256, by steps in shared memory with two barriers each.
extern "C" __global__ void scan_shared(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items)
{
    __shared__ unsigned parts[256];
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned mine = i < items ? x[i] : 0;
    parts[threadIdx.x] = mine;
    for (unsigned distance = 1; distance < 256; distance *= 2) {
        __syncthreads();
        const unsigned other = threadIdx.x >= distance ? parts[threadIdx.x - distance] : 0;
        __syncthreads();
        mine += other;
        parts[threadIdx.x] = mine;
    }
    if (i < items)
        y[i] = mine;
}
