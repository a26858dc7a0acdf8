// A thread sums 4096 words of shared memory; a warp reads 32 of them side by side.
extern "C" __global__ void shared_sum(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items,
                                      unsigned step)
{
    __shared__ unsigned words[1024];
    words[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    unsigned sums[4] = {0, 0, 0, 0};
    unsigned at = threadIdx.x % 256;
#pragma unroll 8
    for (unsigned round = 0; round < 1024; ++round) {
        for (unsigned k = 0; k < 4; ++k)
            sums[k] += words[at + k * 256];
        at = (at + step) % 256;
    }
    const unsigned i = blockIdx.x * 1024 + threadIdx.x;
    if (i < items)
        y[i] = sums[0] + sums[1] + sums[2] + sums[3];
}
