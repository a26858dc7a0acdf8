// y[i] is how far x[i] lies above the least number of its piece of 256; the last piece may be shorter.
//
// x: items numbers in mapped memory of the host. y: as many in the GPU's. Block 256, a block a piece.

extern "C" __global__ void over_the_link(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                         unsigned items)
{
    const size_t first = size_t(blockIdx.x) * 256, i = first + threadIdx.x;

//@ starter
    // TODO The result is right. But each of eight lanes asks for sectors of its own, and eight times
    // for each, once a number; then all of it is read again. Let every sector come over the
    // link once.
    __shared__ unsigned least;
    if (threadIdx.x == 0)
        least = ~0u;
    __syncthreads();
    if (threadIdx.x < 8)
        for (unsigned k = 0; k < 32; k++)
            if (first + threadIdx.x * 32 + k < items)
                atomicMin(&least, x[first + threadIdx.x * 32 + k]);
    __syncthreads();
    if (i < items)
        y[i] = x[i] - least;
//@ solution
    __shared__ unsigned least;
    if (threadIdx.x == 0)
        least = ~0u;
    __syncthreads();

    // A thread's number stays in a register until the least one is known.
    unsigned number = 0;
    if (i < items) {
        number = x[i];
        atomicMin(&least, number);
    }
    __syncthreads();
    if (i < items)
        y[i] = number - least;
//@ by_shuffles
    __shared__ unsigned of_warps[8];
    const unsigned number = i < items ? x[i] : ~0u;
    unsigned least = number;
    for (unsigned far = 16; far > 0; far /= 2)
        least = min(least, __shfl_xor_sync(~0u, least, far));
    of_warps[threadIdx.x / 32] = least;
    __syncthreads();
    for (unsigned warp = 0; warp < 8; warp++)
        least = min(least, of_warps[warp]);
    if (i < items)
        y[i] = number - least;
//@ reads_twice
    __shared__ unsigned least;
    if (threadIdx.x == 0)
        least = ~0u;
    __syncthreads();
    if (i < items)
        atomicMin(&least, ((const volatile unsigned*)x)[i]);
    __syncthreads();
    if (i < items)
        y[i] = x[i] - least;
//@ eight_threads
    __shared__ unsigned least, kept[256];
    if (threadIdx.x == 0)
        least = ~0u;
    __syncthreads();
    if (threadIdx.x < 8)
        for (unsigned k = 0; k < 32; k++) {
            const size_t from = first + threadIdx.x * 32 + k;
            const unsigned number = from < items ? x[from] : ~0u;
            kept[threadIdx.x * 32 + k] = number;
            atomicMin(&least, number);
        }
    __syncthreads();
    if (i < items)
        y[i] = kept[threadIdx.x] - least;
//@ parked
    __shared__ unsigned least;
    if (threadIdx.x == 0)
        least = ~0u;
    __syncthreads();
    volatile unsigned* parked = y;
    if (i < items) {
        const unsigned number = x[i];
        parked[i] = number;
        atomicMin(&least, number);
    }
    __syncthreads();
    if (i < items)
        y[i] = parked[i] - least;
//@ no_barrier
    __shared__ unsigned least;
    if (threadIdx.x == 0)
        least = ~0u;
    __syncthreads();
    if (i < items) {
        const unsigned number = x[i];
        atomicMin(&least, number);
        y[i] = number - least;
    }
//@ one_warp
    const unsigned number = i < items ? x[i] : ~0u;
    unsigned least = number;
    for (unsigned far = 16; far > 0; far /= 2)
        least = min(least, __shfl_xor_sync(~0u, least, far));
    if (i < items)
        y[i] = number - least;
//@ no_guard
    __shared__ unsigned least;
    if (threadIdx.x == 0)
        least = ~0u;
    __syncthreads();
    const unsigned number = x[i];
    if (i < items)
        atomicMin(&least, number);
    __syncthreads();
    if (i < items)
        y[i] = number - least;
//@ end
}
