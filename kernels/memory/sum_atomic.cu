// A sum of floats: each block adds up its part, and one thread adds that to the result, which must be 0 before.
// The sum of a run of floats by the block's 256 threads, each of which has its own share of it.
__device__ float sum_of_run(const float* run, unsigned length)
{
    const float4* four = (const float4*)run;
    float sum = 0.0f;
    for (unsigned i = threadIdx.x; i < length / 4; i += 8 * 256) {
        float4 found[8];
        for (unsigned k = 0; k < 8; ++k)
            found[k] = i + k * 256 < length / 4 ? four[i + k * 256] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (unsigned k = 0; k < 8; ++k)
            sum += (found[k].x + found[k].y) + (found[k].z + found[k].w);
    }
    if (threadIdx.x < length % 4)
        sum += run[length / 4 * 4 + threadIdx.x];
    return sum;
}

// The sum of what the block's threads have, in thread 0.
__device__ float sum_of_block(float mine, float* warps)
{
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = threadIdx.x < 8 ? warps[threadIdx.x] : 0.0f;
    for (unsigned distance = 4; distance > 0; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    return mine;
}

extern "C" __global__ void sum_atomic(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__,
                                      unsigned* __restrict__, unsigned items)
{
    __shared__ float warps[8];
    const unsigned first = blockIdx.x * 32768;
    const float mine = sum_of_block(sum_of_run(x + first, min(items - first, 32768u)), warps);
    if (threadIdx.x == 0)
        atomicAdd(sum, mine);
}
