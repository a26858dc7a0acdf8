// The same by shuffles: five steps within each warp, and the first lanes of the first warp scan the sums of the warps.
__device__ unsigned scan_of_warp(unsigned mine)
{
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned other = __shfl_up_sync(~0u, mine, distance);
        if (threadIdx.x % 32 >= distance)
            mine += other;
    }
    return mine;
}

extern "C" __global__ void scan_shuffle(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items)
{
    __shared__ unsigned warps[8];
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    const unsigned mine = scan_of_warp(i < items ? x[i] : 0);
    if (threadIdx.x % 32 == 31)
        warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        const unsigned scanned = scan_of_warp(threadIdx.x < 8 ? warps[threadIdx.x] : 0);
        if (threadIdx.x < 8)
            warps[threadIdx.x] = scanned;
    }
    __syncthreads();
    const unsigned before = threadIdx.x < 32 ? 0 : warps[threadIdx.x / 32 - 1];
    if (i < items)
        y[i] = before + mine;
}
