// Has the lanes pass numbers on by shuffles, which go through the same pipe.

extern "C" __global__ void register_tile(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    constexpr unsigned TILE = 64, STEP = 16;
    __shared__ float of_a[TILE][STEP], of_b[STEP][TILE];

    const unsigned thread = threadIdx.y * 16 + threadIdx.x;
    const unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sums[4][4] = {};
    for (unsigned from = 0; from < k; from += STEP) {
        // 64 rows of A and 64 columns of B, 16 of k; zeros where the matrices end.
        for (unsigned e = thread; e < TILE * STEP; e += 256) {
            const unsigned i = e / STEP, p = e % STEP, q = e / TILE, j = e % TILE;
            of_a[i][p] = row + i < m && from + p < k ? a[size_t(row + i) * k + from + p] : 0.0f;
            of_b[q][j] = from + q < k && column + j < n ? b[size_t(from + q) * n + column + j] : 0.0f;
        }
        __syncthreads();

        const unsigned lane = thread % 32;
        for (unsigned p = 0; p < STEP; ++p) {
            // Lanes 0 to 7 have the eight numbers of A that the warp needs, each lane two of B.
            const float mine = of_a[threadIdx.y / 2 * 2 + lane / 4 % 2 + 16 * (lane % 4)][p];
            const float two[2] = {of_b[p][lane], of_b[p][lane + 32]};
            for (unsigned i = 0; i < 4; ++i) {
                const float left = __shfl_sync(0xFFFFFFFF, mine, threadIdx.y % 2 * 4 + i);
                for (unsigned j = 0; j < 4; ++j)
                    sums[i][j] += left * __shfl_sync(0xFFFFFFFF, two[j / 2], j % 2 * 16 + threadIdx.x);
            }
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < 4; ++i)
        for (unsigned j = 0; j < 4; ++j) {
            const unsigned r = row + threadIdx.y + 16 * i, x = column + threadIdx.x + 16 * j;
            if (r < m && x < n)
                c[size_t(r) * n + x] = sums[i][j];
        }
}
