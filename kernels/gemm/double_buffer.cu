// As the register tile, with two buffers: while a step is multiplied, the next one is on its way into
// the other, and one barrier a step is enough. A thread has EACH × EACH elements of a block's
// TILE × TILE.
constexpr int STEP = 8, THREADS = 256;

template <int TILE, int EACH>
__device__ void fill(float (&of_a)[TILE][STEP], float (&of_b)[STEP][TILE], const float* a, const float* b,
                     unsigned row, unsigned column, unsigned from, unsigned m, unsigned n, unsigned k)
{
#pragma unroll
    for (unsigned e = threadIdx.x; e < TILE * STEP; e += THREADS) {
        const unsigned i = e / STEP, p = e % STEP, q = e / TILE, j = e % TILE;
        of_a[i][p] = row + i < m && from + p < k ? a[(size_t)(row + i) * k + from + p] : 0.0f;
        of_b[q][j] = from + q < k && column + j < n ? b[(size_t)(from + q) * n + column + j] : 0.0f;
    }
}

template <int TILE, int EACH>
__device__ void multiply(const float* a, const float* b, float* c, unsigned m, unsigned n, unsigned k)
{
    static_assert(TILE / EACH * (TILE / EACH) == THREADS, "a thread for each part");
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    const unsigned x = threadIdx.x % (TILE / EACH) * EACH, y = threadIdx.x / (TILE / EACH) * EACH;
    const unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sums[EACH][EACH] = {};
    fill<TILE, EACH>(of_a[0], of_b[0], a, b, row, column, 0, m, n, k);
    __syncthreads();
    for (unsigned from = 0; from < k; from += STEP) {
        const unsigned now = from / STEP % 2;
        if (from + STEP < k)
            fill<TILE, EACH>(of_a[1 - now], of_b[1 - now], a, b, row, column, from + STEP, m, n, k);
#pragma unroll
        for (int p = 0; p < STEP; ++p) {
            float left[EACH], right[EACH];
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                left[i] = of_a[now][y + i][p];
                right[i] = of_b[now][p][x + i];
            }
#pragma unroll
            for (int i = 0; i < EACH; ++i)
#pragma unroll
                for (int j = 0; j < EACH; ++j)
                    sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < EACH; ++j)
            if (row + y + i < m && column + x + j < n)
                c[(size_t)(row + y + i) * n + column + x + j] = sums[i][j];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm_double_buffer(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                        unsigned m, unsigned n, unsigned k)
{
    multiply<64, 4>(a, b, c, m, n, k);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm_double_buffer_128(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                            unsigned m, unsigned n, unsigned k)
{
    multiply<128, 8>(a, b, c, m, n, k);
}
