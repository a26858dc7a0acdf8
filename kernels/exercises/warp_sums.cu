// The sum of every row of 256 numbers, modulo 2^32, a warp for each row.
//
// x: items rows of 256; sums: items. Block 256; it covers eight rows, and of the last block not
// every warp has one.

extern "C" __global__ void warp_sums(const unsigned* __restrict__ x, unsigned* __restrict__ sums,
                                     unsigned items)
{
    const unsigned row  = blockIdx.x * 8 + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32;

//@ starter
    // TODO The sums are right. Each lane adds up eight numbers of the row, and the lanes then lay
    // their sums into shared memory, where others find them. Let them hand each other registers.
    __shared__ unsigned part[256];
    unsigned mine = 0;
    if (row < items)
        for (unsigned k = 0; k < 256; k += 32)
            mine += x[size_t(row) * 256 + k + lane];
    part[threadIdx.x] = mine;
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        __syncwarp();
        const unsigned other = lane < distance ? part[threadIdx.x + distance] : 0;
        __syncwarp();
        part[threadIdx.x] += other;
    }
    if (lane == 0 && row < items)
        sums[row] = part[threadIdx.x];
//@ solution
    unsigned mine = 0;
    if (row < items)
        for (unsigned k = 0; k < 256; k += 32)
            mine += x[size_t(row) * 256 + k + lane];

    // Each lane adds the sum of the lane 16 above, then 8, 4, 2, 1: lane 0 has them all.
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, distance);
    if (lane == 0 && row < items)
        sums[row] = mine;
//@ butterfly
    // A row is there for a whole warp or for none of its lanes.
    if (row >= items)
        return;
    unsigned mine = 0;
    for (unsigned k = 0; k < 256; k += 32)
        mine += x[size_t(row) * 256 + k + lane];
    for (unsigned mask = 1; mask < 32; mask *= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, mask);
    if (lane == 7)
        sums[row] = mine;
//@ wide
    // Sixteen bytes a lane, twice.
    if (row >= items)
        return;
    unsigned mine = 0;
    for (unsigned k = 0; k < 64; k += 32) {
        const uint4 four = reinterpret_cast<const uint4*>(x)[size_t(row) * 64 + k + lane];
        mine += four.x + four.y + four.z + four.w;
    }
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, distance);
    if (lane == 0)
        sums[row] = mine;
//@ one_step_short
    unsigned mine = 0;
    if (row < items)
        for (unsigned k = 0; k < 256; k += 32)
            mine += x[size_t(row) * 256 + k + lane];
    for (unsigned distance = 8; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, distance);
    if (lane == 0 && row < items)
        sums[row] = mine;
//@ half_mask
    unsigned mine = 0;
    if (row < items)
        for (unsigned k = 0; k < 256; k += 32)
            mine += x[size_t(row) * 256 + k + lane];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0x0000ffff, mine, distance);
    if (lane == 0 && row < items)
        sums[row] = mine;
//@ odd_width
    unsigned mine = 0;
    if (row < items)
        for (unsigned k = 0; k < 256; k += 32)
            mine += x[size_t(row) * 256 + k + lane];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, distance, 31);
    if (lane == 0 && row < items)
        sums[row] = mine;
//@ no_guard
    unsigned mine = 0;
    for (unsigned k = 0; k < 256; k += 32)
        mine += x[size_t(row) * 256 + k + lane];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, distance);
    if (lane == 0)
        sums[row] = mine;
//@ neighbours
    unsigned mine = 0;
    if (row < items)
        for (unsigned k = 0; k < 8; k++)
            mine += x[size_t(row) * 256 + 8 * lane + k];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, distance);
    if (lane == 0 && row < items)
        sums[row] = mine;
//@ end
}
