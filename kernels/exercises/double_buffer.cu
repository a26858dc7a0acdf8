// A product of matrices whose tiles come by asynchronous copies: C = A · B.
//
// A: m × k, B: k × n, C: m × n, all row-major floats. Block 16×16; it covers a tile of C of 32×32
// elements, four a thread: rows threadIdx.y and + 16, columns threadIdx.x and + 16.

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
//@ starter
    // TODO One buffer: while it is multiplied nothing may be copied into it, and a step has two
    // barriers. With a second one the next step can be on its way meanwhile, and one barrier will do.
    __shared__ float of_a[TILE][STEP], of_b[STEP][TILE];
    for (unsigned from = 0; from < k; from += STEP) {
        start_tiles(of_a, of_b, a, b, from, m, n, k);
        wait_for_copies();
        __syncthreads();
        multiply(sums, of_a, of_b);
        __syncthreads();
    }
//@ solution
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    start_tiles(of_a[0], of_b[0], a, b, 0, m, n, k);
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        // This step has come. And everybody is done with the step before, whose buffer is filled next.
        wait_for_copies();
        __syncthreads();
        if (from + STEP < k)
            start_tiles(of_a[1 - now], of_b[1 - now], a, b, from + STEP, m, n, k);
        multiply(sums, of_a[now], of_b[now]);
    }
//@ barrier_at_the_end
    // The barrier stands behind the step: what it copied has come, what it multiplied may be overwritten.
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    start_tiles(of_a[0], of_b[0], a, b, 0, m, n, k);
    wait_for_copies();
    __syncthreads();
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        if (from + STEP < k)
            start_tiles(of_a[1 - now], of_b[1 - now], a, b, from + STEP, m, n, k);
        multiply(sums, of_a[now], of_b[now]);
        wait_for_copies();
        __syncthreads();
    }
//@ through_registers
    // The next step waits in registers while this one is multiplied.
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    const unsigned thread = threadIdx.y * 16 + threadIdx.x;
    float next[4];
    const auto load = [&](unsigned from) {
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned e = thread + 256 * half, i = blockIdx.y * TILE + e / STEP, p = from + e % STEP;
            const unsigned q = from + e / TILE, j = blockIdx.x * TILE + e % TILE;
            next[half]     = i < m && p < k ? a[size_t(i) * k + p] : 0.0f;
            next[2 + half] = q < k && j < n ? b[size_t(q) * n + j] : 0.0f;
        }
    };
    const auto store = [&](unsigned to) {
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned e = thread + 256 * half;
            of_a[to][e / STEP][e % STEP] = next[half];
            of_b[to][e / TILE][e % TILE] = next[2 + half];
        }
    };
    load(0);
    store(0);
    __syncthreads();
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        if (from + STEP < k)
            load(from + STEP);
        multiply(sums, of_a[now], of_b[now]);
        if (from + STEP < k)
            store(1 - now);
        __syncthreads();
    }
//@ one_buffer_one_barrier
    __shared__ float of_a[TILE][STEP], of_b[STEP][TILE];
    for (unsigned from = 0; from < k; from += STEP) {
        start_tiles(of_a, of_b, a, b, from, m, n, k);
        wait_for_copies();
        __syncthreads();
        multiply(sums, of_a, of_b);
    }
//@ starts_before_the_barrier
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    start_tiles(of_a[0], of_b[0], a, b, 0, m, n, k);
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        wait_for_copies();
        if (from + STEP < k)
            start_tiles(of_a[1 - now], of_b[1 - now], a, b, from + STEP, m, n, k);
        __syncthreads();
        multiply(sums, of_a[now], of_b[now]);
    }
//@ never_waits
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    start_tiles(of_a[0], of_b[0], a, b, 0, m, n, k);
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        __syncthreads();
        if (from + STEP < k)
            start_tiles(of_a[1 - now], of_b[1 - now], a, b, from + STEP, m, n, k);
        multiply(sums, of_a[now], of_b[now]);
    }
//@ waits_after_the_barrier
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    start_tiles(of_a[0], of_b[0], a, b, 0, m, n, k);
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        __syncthreads();
        wait_for_copies();
        if (from + STEP < k)
            start_tiles(of_a[1 - now], of_b[1 - now], a, b, from + STEP, m, n, k);
        multiply(sums, of_a[now], of_b[now]);
    }
//@ two_barriers
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    start_tiles(of_a[0], of_b[0], a, b, 0, m, n, k);
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        wait_for_copies();
        __syncthreads();
        if (from + STEP < k)
            start_tiles(of_a[1 - now], of_b[1 - now], a, b, from + STEP, m, n, k);
        multiply(sums, of_a[now], of_b[now]);
        __syncthreads();
    }
//@ one_after_the_other
    // Two buffers in turns, and yet nothing is on its way while they are multiplied.
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        start_tiles(of_a[now], of_b[now], a, b, from, m, n, k);
        wait_for_copies();
        __syncthreads();
        multiply(sums, of_a[now], of_b[now]);
    }
//@ forgets_the_last
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    start_tiles(of_a[0], of_b[0], a, b, 0, m, n, k);
    unsigned now = 0;
    for (unsigned from = STEP; from < k; from += STEP, now = 1 - now) {
        wait_for_copies();
        __syncthreads();
        start_tiles(of_a[1 - now], of_b[1 - now], a, b, from, m, n, k);
        multiply(sums, of_a[now], of_b[now]);
    }
//@ always_the_first
    __shared__ float of_a[2][TILE][STEP], of_b[2][STEP][TILE];
    start_tiles(of_a[0], of_b[0], a, b, 0, m, n, k);
    for (unsigned from = 0, now = 0; from < k; from += STEP, now = 1 - now) {
        wait_for_copies();
        __syncthreads();
        if (from + STEP < k)
            start_tiles(of_a[1 - now], of_b[1 - now], a, b, from + STEP, m, n, k);
        multiply(sums, of_a[0], of_b[0]);
    }
//@ end
    for (unsigned i = 0; i < 2; ++i)
        for (unsigned j = 0; j < 2; ++j) {
            const unsigned r = blockIdx.y * TILE + threadIdx.y + 16 * i, x = blockIdx.x * TILE + threadIdx.x + 16 * j;
            if (r < m && x < n)
                c[size_t(r) * n + x] = sums[i][j];
        }
}
