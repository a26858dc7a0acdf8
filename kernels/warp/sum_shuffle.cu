// The same by shuffles: five steps within each warp, eight floats in shared memory, three steps in the first warp.
extern "C" __global__ void sum_shuffle(const float* __restrict__ x, float* __restrict__ sums, unsigned items)
{
    __shared__ float warps[8];
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    float mine = i < items ? x[i] : 0.0f;
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < 8 ? warps[threadIdx.x] : 0.0f;
        for (unsigned distance = 4; distance > 0; distance /= 2)
            mine += __shfl_down_sync(~0u, mine, distance);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = mine;
    }
}
