// The odd numbers of each run of 256, side by side at the run's beginning, and how many there are. A ballot tells each
// lane how many odd ones are before it.
extern "C" __global__ void compact_ballot(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                          unsigned* __restrict__ counts, unsigned items)
{
    __shared__ unsigned warps[8];
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    const unsigned warp = threadIdx.x / 32;
    const unsigned number = i < items ? x[i] : 0;
    const unsigned odd = __ballot_sync(~0u, number & 1);
    if (threadIdx.x % 32 == 0)
        warps[warp] = __popc(odd);
    __syncthreads();
    unsigned place = __popc(odd & ((1u << threadIdx.x % 32) - 1));
    unsigned all = 0;
    for (unsigned other = 0; other < 8; ++other) {
        place += other < warp ? warps[other] : 0;
        all += warps[other];
    }
    if (number & 1)
        y[blockIdx.x * 256 + place] = number;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}
