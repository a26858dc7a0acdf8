// What a loop adds up in one place of memory, and what stands in the way of adding it up in a register.
//# block 64 1
extern "C" __global__ void test(const float* in, float* out, float* __restrict__ sums, const float* __restrict__ fixed,
    int items, int steps)
{
    __shared__ float tile[64];
    __shared__ int counts[64];
    const int lane = threadIdx.x;
    const int i = lane + blockIdx.x * blockDim.x;
    tile[lane] = 0;
    counts[lane] = 1;
    for (int k = 0; k < steps; ++k)
        tile[lane] += in[i + k];
    // Not in every iteration.
#pragma unroll 1
    for (int k = 0; k < steps; ++k)
        if (in[i + k] > 0)
            counts[lane] += k;
    __syncthreads();
    // Nobody else has this pointer.
    sums[i] = 2;
    for (int k = 0; k < steps; ++k)
        sums[i] += fixed[i + k] * tile[lane ^ 1];
    out[i] = counts[lane ^ 1];
}
