// Brings all of k at once, as far as shared memory reaches, and needs one barrier.

constexpr unsigned TILE = 32, STEP = 16;

__device__ unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

// Starts the copy of a float to shared memory; of zeros where it is not inside the matrix.
__device__ void start_copy(float* to, const float* from, bool is_inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::
                 "r"(shared_address(to)), "l"(from), "r"(is_inside ? 4 : 0) : "memory");
}

// Waits for the copies that this thread has started.
__device__ void wait_for_copies()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// Starts the copies of 32 rows of A and 32 columns of B, 16 of k.
__device__ void start_tiles(float (&of_a)[TILE][STEP], float (&of_b)[STEP][TILE], const float* a, const float* b,
                            unsigned from, unsigned m, unsigned n, unsigned k)
{
    const unsigned thread = threadIdx.y * 16 + threadIdx.x;
    const unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    for (unsigned e = thread; e < TILE * STEP; e += 256) {
        const unsigned i = e / STEP, p = e % STEP, q = e / TILE, j = e % TILE;
        const bool in_a = row + i < m && from + p < k, in_b = from + q < k && column + j < n;
        start_copy(&of_a[i][p], in_a ? a + size_t(row + i) * k + from + p : a, in_a);
        start_copy(&of_b[q][j], in_b ? b + size_t(from + q) * n + column + j : b, in_b);
    }
}

// A step of k: what a thread's four elements get of it.
__device__ void multiply(float (&sums)[2][2], const float (&of_a)[TILE][STEP], const float (&of_b)[STEP][TILE])
{
    for (unsigned p = 0; p < STEP; ++p)
        for (unsigned i = 0; i < 2; ++i)
            for (unsigned j = 0; j < 2; ++j)
                sums[i][j] += of_a[threadIdx.y + 16 * i][p] * of_b[p][threadIdx.x + 16 * j];
}

extern "C" __global__ void double_buffer(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    float sums[2][2] = {};
    __shared__ float of_a[10][TILE][STEP], of_b[10][STEP][TILE];
    for (unsigned first = 0; first < k; first += 10 * STEP) {
        for (unsigned s = 0; s < 10 && first + s * STEP < k; ++s)
            start_tiles(of_a[s], of_b[s], a, b, first + s * STEP, m, n, k);
        wait_for_copies();
        __syncthreads();
        for (unsigned s = 0; s < 10 && first + s * STEP < k; ++s)
            multiply(sums, of_a[s], of_b[s]);
        if (first + 10 * STEP < k)
            __syncthreads();
    }
    for (unsigned i = 0; i < 2; ++i)
        for (unsigned j = 0; j < 2; ++j) {
            const unsigned r = blockIdx.y * TILE + threadIdx.y + 16 * i, x = blockIdx.x * TILE + threadIdx.x + 16 * j;
            if (r < m && x < n)
                c[size_t(r) * n + x] = sums[i][j];
        }
}
