// lets the lanes add to the row's sum in global memory, one after the other, without shared memory and without shuffles.
extern "C" __global__ void warp_sums(const unsigned* x, unsigned* sums, unsigned items)
{
    const unsigned row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= items)
        return;
    unsigned mine = 0;
    for (unsigned k = 0; k < 256; k += 32)
        mine += x[size_t(row) * 256 + k + lane];
    if (lane == 0)
        sums[row] = 0;
    for (unsigned turn = 0; turn < 32; turn++) {
        __syncwarp();
        if (lane == turn)
            sums[row] += mine;
    }
}
