// A thread has 8 × 8 elements of C in registers, a block of 256 threads 128 × 128: of each step of k
// a thread reads 8 floats of A and 8 of B for 64 multiply-adds.
constexpr int TILE = 128, STEP = 8, EACH = 8, THREADS = TILE / EACH * (TILE / EACH);

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm_register_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                        unsigned m, unsigned n, unsigned k)
{
    __shared__ float of_a[TILE][STEP], of_b[STEP][TILE];
    const unsigned x = threadIdx.x % (TILE / EACH) * EACH, y = threadIdx.x / (TILE / EACH) * EACH;
    const unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sums[EACH][EACH] = {};
    for (unsigned from = 0; from < k; from += STEP) {
        for (unsigned e = threadIdx.x; e < TILE * STEP; e += THREADS) {
            const unsigned i = e / STEP, p = e % STEP, q = e / TILE, j = e % TILE;
            of_a[i][p] = row + i < m && from + p < k ? a[(size_t)(row + i) * k + from + p] : 0.0f;
            of_b[q][j] = from + q < k && column + j < n ? b[(size_t)(from + q) * n + column + j] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < STEP; ++p) {
            float left[EACH], right[EACH];
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                left[i] = of_a[y + i][p];
                right[i] = of_b[p][x + i];
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
