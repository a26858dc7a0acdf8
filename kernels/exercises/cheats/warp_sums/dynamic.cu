// takes dynamic shared memory, which the kernel does not declare with a size.
extern "C" __global__ void warp_sums(const unsigned* x, unsigned* sums, unsigned items)
{
    extern __shared__ unsigned part[];
    const unsigned row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned mine = 0;
    if (row < items)
        for (unsigned k = 0; k < 256; k += 32)
            mine += x[size_t(row) * 256 + k + lane];
    part[threadIdx.x] = mine;
    __syncwarp();
    if (lane == 0 && row < items) {
        mine = 0;
        for (unsigned k = 0; k < 32; k++)
            mine += part[threadIdx.x + k];
        sums[row] = mine;
    }
}
