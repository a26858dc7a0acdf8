// A product of matrices in tiles: C = A · B.
//
// A: m × k, B: k × n, C: m × n, all row-major floats. Block 16×16; it covers a tile of C of 64×64
// elements, sixteen a thread: rows threadIdx.y + 0, 16, 32, 48 and columns threadIdx.x + 0, 16, 32, 48.

// A load from shared memory that the compiler neither leaves out nor joins with others.
__device__ float from_shared(const float& from)
{
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(unsigned(__cvta_generic_to_shared(&from))) : "memory");
    return value;
}

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
//@ no_barrier
//@ solution
        __syncthreads();
//@ starter
        __syncthreads();
//@ end

//@ starter
        // TODO Two loads from shared memory for each multiply-add. The sixteen outputs of a thread
        // lie in four rows and four columns: which numbers does it load more than once?
#pragma unroll
        for (unsigned i = 0; i < 4; ++i)
#pragma unroll
            for (unsigned j = 0; j < 4; ++j)
                for (unsigned p = 0; p < STEP; ++p)
                    sums[i][j] += from_shared(of_a[threadIdx.y + 16 * i][p]) * from_shared(of_b[p][threadIdx.x + 16 * j]);
//@ solution
        for (unsigned p = 0; p < STEP; ++p) {
            float left[4], right[4];
            for (unsigned i = 0; i < 4; ++i) {
                left[i]  = from_shared(of_a[threadIdx.y + 16 * i][p]);
                right[i] = from_shared(of_b[p][threadIdx.x + 16 * i]);
            }
            for (unsigned i = 0; i < 4; ++i)
                for (unsigned j = 0; j < 4; ++j)
                    sums[i][j] += left[i] * right[j];
        }
//@ rows_only
        // A number of A serves four columns; those of B are loaded for each row again.
        for (unsigned p = 0; p < STEP; ++p)
            for (unsigned i = 0; i < 4; ++i) {
                const float left = from_shared(of_a[threadIdx.y + 16 * i][p]);
                for (unsigned j = 0; j < 4; ++j)
                    sums[i][j] += left * from_shared(of_b[p][threadIdx.x + 16 * j]);
            }
//@ neighbours
        // Sixteen neighbours of a row and column each: a thread's rows lie side by side, and so do its columns.
        for (unsigned p = 0; p < STEP; ++p) {
            float left[4], right[4];
            for (unsigned i = 0; i < 4; ++i) {
                left[i]  = from_shared(of_a[4 * threadIdx.y + i][p]);
                right[i] = from_shared(of_b[p][4 * threadIdx.x + i]);
            }
            for (unsigned i = 0; i < 4; ++i)
                for (unsigned j = 0; j < 4; ++j)
                    sums[i][j] += left[i] * right[j];
        }
//@ as_float4
        // The four columns lie side by side: one load of 16 bytes brings them all.
        for (unsigned p = 0; p < STEP; ++p) {
            const float4 four = *reinterpret_cast<const float4*>(&of_b[p][4 * threadIdx.x]);
            const float right[4] = {four.x, four.y, four.z, four.w};
            for (unsigned i = 0; i < 4; ++i) {
                const float left = from_shared(of_a[threadIdx.y + 16 * i][p]);
                for (unsigned j = 0; j < 4; ++j)
                    sums[i][j] += left * right[j];
            }
        }
//@ column_of_sixteen
        // Sixteen rows of one column: what a thread holds of B serves sixteen rows, what it loads of A one column.
        for (unsigned p = 0; p < STEP; ++p) {
            const float right = from_shared(of_b[p][thread % 64]);
            for (unsigned i = 0; i < 16; ++i)
                sums[i / 4][i % 4] += from_shared(of_a[thread / 64 * 16 + i][p]) * right;
        }
//@ indexed_at_run_time
        for (unsigned p = 0; p < STEP; ++p) {
            float left[4], right[4];
            for (unsigned i = 0; i < 4; ++i) {
                left[i]  = from_shared(of_a[threadIdx.y + 16 * i][p]);
                right[i] = from_shared(of_b[p][threadIdx.x + 16 * i]);
            }
#pragma unroll 1
            for (unsigned i = 0; i < 4; ++i)
#pragma unroll 1
                for (unsigned j = 0; j < 4; ++j)
                    sums[i][j] += left[i] * right[j];
        }
//@ swapped_indices
        for (unsigned p = 0; p < STEP; ++p) {
            float left[4], right[4];
            for (unsigned i = 0; i < 4; ++i) {
                left[i]  = from_shared(of_a[threadIdx.y + 16 * i][p]);
                right[i] = from_shared(of_b[p][threadIdx.x + 16 * i]);
            }
            for (unsigned i = 0; i < 4; ++i)
                for (unsigned j = 0; j < 4; ++j)
                    sums[i][j] += left[j] * right[i];
        }
//@ from_global
        // Nothing from shared memory: each thread reads its numbers where they are.
        for (unsigned p = 0; p < STEP && from + p < k; ++p)
            for (unsigned i = 0; i < 4; ++i)
                for (unsigned j = 0; j < 4; ++j)
                    if (row + threadIdx.y + 16 * i < m && column + threadIdx.x + 16 * j < n)
                        sums[i][j] += a[size_t(row + threadIdx.y + 16 * i) * k + from + p] *
                                      b[size_t(from + p) * n + column + threadIdx.x + 16 * j];
//@ end
//@ one_barrier
//@ solution
        __syncthreads();
//@ starter
        __syncthreads();
//@ end
    }
    for (unsigned i = 0; i < 4; ++i)
        for (unsigned j = 0; j < 4; ++j) {
//@ column_of_sixteen
            const unsigned r = row + thread / 64 * 16 + 4 * i + j, x = column + thread % 64;
//@ neighbours
            const unsigned r = row + 4 * threadIdx.y + i, x = column + 4 * threadIdx.x + j;
//@ as_float4
            const unsigned r = row + threadIdx.y + 16 * i, x = column + 4 * threadIdx.x + j;
//@ starter
            const unsigned r = row + threadIdx.y + 16 * i, x = column + threadIdx.x + 16 * j;
//@ solution
            const unsigned r = row + threadIdx.y + 16 * i, x = column + threadIdx.x + 16 * j;
//@ end
            if (r < m && x < n)
                c[size_t(r) * n + x] = sums[i][j];
        }
}
