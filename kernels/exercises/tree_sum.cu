// The sum of every row of 256 numbers, modulo 2^32, by a tree in shared memory.
//
// x: items rows of 256; sums: items. Block 256; it covers one row.

extern "C" __global__ void tree_sum(const unsigned* __restrict__ x, unsigned* __restrict__ sums,
                                    unsigned items)
{
    __shared__ unsigned part[256];
    const unsigned t = threadIdx.x;
    part[t] = x[size_t(blockIdx.x) * 256 + t];
    __syncthreads();

//@ starter
    // TODO The sums are right. In the first step neighbours are added, in the second every
    // second of these, and so on; the words that a warp's lanes take lie 2, 4, 8, … apart, and so
    // the lanes meet in fewer and fewer banks. Add other pairs.
    for (unsigned distance = 1; distance < 256; distance *= 2) {
        const unsigned at = 2 * distance * t;
        if (at < 256)
            part[at] += part[at + distance];
        __syncthreads();
    }
//@ solution
    // The words that a warp takes lie side by side in every step.
    for (unsigned distance = 128; distance > 0; distance /= 2) {
        if (t < distance)
            part[t] += part[t + distance];
        __syncthreads();
    }
//@ in_its_place
    // Lanes that add nothing are idle, but no two meet in a bank.
    for (unsigned distance = 1; distance < 256; distance *= 2) {
        if (t % (2 * distance) == 0)
            part[t] += part[t + distance];
        __syncthreads();
    }
//@ shuffles
    unsigned sum = part[t];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    __syncthreads();
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t == 0)
        for (unsigned warp = 1; warp < 8; warp++)
            part[0] += part[warp];
//@ no_barrier
    for (unsigned distance = 128; distance > 0; distance /= 2)
        if (t < distance)
            part[t] += part[t + distance];
//@ barrier_for_some
    for (unsigned distance = 128; distance > 0; distance /= 2)
        if (t < distance) {
            part[t] += part[t + distance];
            __syncthreads();
        }
//@ runs
    // Each of eight lanes adds up a run of 32.
    if (t < 8)
        for (unsigned k = 1; k < 32; k++)
            part[32 * t] += part[32 * t + k];
    __syncthreads();
    if (t == 0)
        for (unsigned k = 1; k < 8; k++)
            part[0] += part[32 * k];
//@ half
    for (unsigned distance = 64; distance > 0; distance /= 2) {
        if (t < distance)
            part[t] += part[t + distance];
        __syncthreads();
    }
//@ end
    if (t == 0)
        sums[blockIdx.x] = part[0];
}
