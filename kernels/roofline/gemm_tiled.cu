// The same with tiles of 32 × 32 in shared memory: a block asks once for what its 1024 elements
// need of both factors.
extern "C" __global__ void gemm_tiled(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, unsigned items, unsigned side)
{
    __shared__ float of_a[32][32], of_b[32][32];
    const unsigned across = (side + 31) / 32, tiles = (items + 32 * side - 1) / (32 * side) * across;
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const unsigned row = tile / across * 32, column = tile % across * 32 + x;
        float sums[4] = {};
        for (unsigned from = 0; from < side; from += 32) {
            for (unsigned k = 0; k < 4; ++k) {
                const unsigned down = y + k * 8;
                const bool is_row = (row + down) * side < items;
                of_a[down][x] = is_row && from + x < side ? a[(row + down) * side + from + x] : 0.0f;
                of_b[down][x] = from + down < side && column < side ? b[(from + down) * side + column] : 0.0f;
            }
            __syncthreads();
            for (unsigned step = 0; step < 32; ++step)
                for (unsigned k = 0; k < 4; ++k)
                    sums[k] = fmaf(of_a[y + k * 8][step], of_b[step][x], sums[k]);
            __syncthreads();
        }
        for (unsigned k = 0; k < 4; ++k) {
            const unsigned i = (row + y + k * 8) * side + column;
            if (column < side && i < items)
                c[i] = sums[k];
        }
    }
}
