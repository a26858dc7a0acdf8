// Running sums of 256 numbers at a time, modulo 2^32: y[i] is the sum of the numbers up to x[i] within its
// piece.
//
// x, y: items; the last piece may be shorter. Block 256; it covers one piece.

//@ starter
//@ solution
__device__ unsigned scan_of_warp(unsigned mine)
{
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffff, mine, distance);
        if (threadIdx.x % 32 >= distance)
            mine += other;
    }
    return mine;
}
//@ adds_its_own
__device__ unsigned scan_of_warp(unsigned mine)
{
    for (unsigned distance = 1; distance < 32; distance *= 2)
        mine += __shfl_up_sync(0xffffffff, mine, distance);
    return mine;
}
//@ end

extern "C" __global__ void block_scan(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items)
{
    const unsigned t = threadIdx.x;
    const size_t   i = size_t(blockIdx.x) * 256 + t;

//@ starter
    // TODO The sums are right. In each of eight steps every thread reads another one's sum from
    // shared memory, and stores its own. Within a warp that can go by shuffles; only the sums
    // of the eight warps have to meet in shared memory.
    __shared__ unsigned part[256];
    unsigned mine = i < items ? x[i] : 0;
    part[t] = mine;
    for (unsigned distance = 1; distance < 256; distance *= 2) {
        __syncthreads();
        const unsigned other = t >= distance ? part[t - distance] : 0;
        __syncthreads();
        mine += other;
        part[t] = mine;
    }
    if (i < items)
        y[i] = mine;
//@ solution
    __shared__ unsigned warps[8];
    const unsigned mine = scan_of_warp(i < items ? x[i] : 0);

    // The last lane of a warp has the sum of all. The first warp makes running sums of these eight.
    if (t % 32 == 31)
        warps[t / 32] = mine;
    __syncthreads();
    if (t < 32) {
        const unsigned scanned = scan_of_warp(t < 8 ? warps[t] : 0);
        if (t < 8)
            warps[t] = scanned;
    }
    __syncthreads();

    const unsigned before = t < 32 ? 0 : warps[t / 32 - 1];
    if (i < items)
        y[i] = before + mine;
//@ each_adds
    // Every thread adds up the sums of the warps before its own.
    __shared__ unsigned warps[8];
    unsigned mine = scan_of_warp(i < items ? x[i] : 0);
    if (t % 32 == 31)
        warps[t / 32] = mine;
    __syncthreads();
    const unsigned of_warp = t % 32 < t / 32 ? warps[t % 32] : 0;
    unsigned before = of_warp;
    for (unsigned mask = 4; mask > 0; mask /= 2)
        before += __shfl_xor_sync(0xffffffff, before, mask);
    before = __shfl_sync(0xffffffff, before, 0);
    if (i < items)
        y[i] = before + mine;
//@ warps_only
    const unsigned mine = scan_of_warp(i < items ? x[i] : 0);
    if (i < items)
        y[i] = mine;
//@ exclusive
    __shared__ unsigned warps[8];
    const unsigned number = i < items ? x[i] : 0;
    const unsigned mine = scan_of_warp(number);
    if (t % 32 == 31)
        warps[t / 32] = mine;
    __syncthreads();
    if (t < 32) {
        const unsigned scanned = scan_of_warp(t < 8 ? warps[t] : 0);
        if (t < 8)
            warps[t] = scanned;
    }
    __syncthreads();
    const unsigned before = t < 32 ? 0 : warps[t / 32 - 1];
    if (i < items)
        y[i] = before + mine - number;
//@ no_barrier
    __shared__ unsigned warps[8];
    const unsigned mine = scan_of_warp(i < items ? x[i] : 0);
    if (t % 32 == 31)
        warps[t / 32] = mine;
    __syncthreads();
    if (t < 32) {
        const unsigned scanned = scan_of_warp(t < 8 ? warps[t] : 0);
        if (t < 8)
            warps[t] = scanned;
    }
    const unsigned before = t < 32 ? 0 : warps[t / 32 - 1];
    if (i < items)
        y[i] = before + mine;
//@ each_reads
    __shared__ unsigned warps[8];
    const unsigned mine = scan_of_warp(i < items ? x[i] : 0);
    if (t % 32 == 31)
        warps[t / 32] = mine;
    __syncthreads();
    unsigned before = 0;
    for (unsigned w = 0; w < t / 32; w++)
        before += warps[w];
    if (i < items)
        y[i] = before + mine;
//@ in_a_branch
    __shared__ unsigned warps[8];
    const unsigned mine = scan_of_warp(i < items ? x[i] : 0);
    if (t % 32 == 31)
        warps[t / 32] = mine;
    __syncthreads();
    if (t < 8)
        warps[t] = scan_of_warp(warps[t]);
    __syncthreads();
    const unsigned before = t < 32 ? 0 : warps[t / 32 - 1];
    if (i < items)
        y[i] = before + mine;
//@ end
}
