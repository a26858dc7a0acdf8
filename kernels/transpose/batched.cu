// Transpose of many small matrices of one shape, one right after the other in memory.
//
// in: batches × rows × columns, out: batches × columns × rows. Block 256, one-dimensional
// grid ("persistent"): with a block a tile, most blocks would have no work where matrices are
// tiny. Matrices that fit into shared memory are taken whole, as many at once as fit: with 16
// bytes a thread where both sides are multiples of 4, else element by element from one end to
// the other. A bigger matrix is taken tile by tile.

constexpr unsigned THREADS = 256;
constexpr unsigned SIDE = 64;                  // of a tile
constexpr unsigned WORDS = SIDE * (SIDE + 1);  // of shared memory
constexpr unsigned PASSES = (WORDS - 1) / THREADS + 1;  // of the block over as many elements
constexpr unsigned PIECES = 5 * THREADS;       // of shared memory: four of each thread, and the places left free

// Matrices in patches of 4×4 elements, one a thread, which turns it in its registers, as
// in vectorized.cu. Shared memory holds `out` as it will lie in memory, in pieces of 16
// bytes, with one place left free behind every four rows of `out`: so the columns of
// neighbouring patches lie in different banks.
__device__ inline void transpose_patches(const float4* in, float4* out, unsigned rows, unsigned columns, unsigned matrices, float4* shared)
{
    const unsigned down = rows / 4, across = columns / 4;  // a matrix in patches
    const unsigned band = 4 * down;                        // pieces of four rows of `out`
    if (threadIdx.x < matrices * down * across) {
        const unsigned y = threadIdx.x / across, x = threadIdx.x % across;  // counted through all matrices
        const float4* from = in + 4 * y * across + x;
        const float4 a = from[0], b = from[across], c = from[2 * across], d = from[3 * across];
        float4* to = shared + (y / down * across + x) * (band + 1) + y % down;
        to[0]        = make_float4(a.x, b.x, c.x, d.x);
        to[down]     = make_float4(a.y, b.y, c.y, d.y);
        to[2 * down] = make_float4(a.z, b.z, c.z, d.z);
        to[3 * down] = make_float4(a.w, b.w, c.w, d.w);
    }
    __syncthreads();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < matrices * across * band; i += THREADS)
        out[i] = shared[i + i / band];
}

// A number of elements as whole lines of `length` and a rest: how a thread goes on by
// THREADS elements without dividing each time.
struct Place {
    unsigned line, rest;

    __device__ Place(unsigned element, unsigned length) : line(element / length), rest(element % length) {}
    __device__ void advance(const Place& step, unsigned length)
    {
        line += step.line;
        rest += step.rest;
        if (rest >= length) {
            rest -= length;
            line++;
        }
    }
};

// Matrices element by element, as many as `shared` has room for.
__device__ inline void transpose_whole(const float* in, float* out, unsigned rows, unsigned columns, unsigned matrices, float* shared)
{
    // The rows of all these matrices, one below the other; an odd pitch puts neighbours
    // in a column into different banks.
    const unsigned pitch = columns | 1;
    const unsigned elements = rows * columns * matrices;
    // All loads first: each waits for memory, and they wait together.
    float element[PASSES];
#pragma unroll
    for (unsigned n = 0; n < PASSES; n++)
        if (threadIdx.x + n * THREADS < elements)
            element[n] = in[threadIdx.x + n * THREADS];
    const Place column_step(THREADS, columns);
    Place place(threadIdx.x, columns);
#pragma unroll
    for (unsigned n = 0; n < PASSES; n++) {
        if (threadIdx.x + n * THREADS < elements)
            shared[place.line * pitch + place.rest] = element[n];
        place.advance(column_step, columns);
    }
    __syncthreads();
    // In `out` a line is a column of a matrix; `columns` lines make one.
    const Place row_step(THREADS, rows);
    Place target(threadIdx.x, rows);
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < elements; i += THREADS) {
        const unsigned matrix = matrices == 1 ? 0 : target.line / columns;
        const unsigned column = target.line - matrix * columns;
        out[i] = shared[(matrix * rows + target.rest) * pitch + column];
        target.advance(row_step, rows);
    }
}

// One tile of one matrix, as in padded.cu.
__device__ inline void transpose_tile(const float* in, float* out, unsigned rows, unsigned columns, unsigned row, unsigned column, float* shared)
{
    constexpr unsigned STEP = THREADS / SIDE;
    const unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
#pragma unroll
    for (unsigned j = 0; j < SIDE; j += STEP)
        if (row + y + j < rows && column + x < columns)
            shared[(y + j) * (SIDE + 1) + x] = in[size_t(row + y + j) * columns + column + x];
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < SIDE; j += STEP)
        if (column + y + j < columns && row + x < rows)
            out[size_t(column + y + j) * rows + row + x] = shared[x * (SIDE + 1) + y + j];
}

extern "C" __global__ void __launch_bounds__(THREADS)
batched(const float* __restrict__ in, float* __restrict__ out, unsigned rows, unsigned columns, unsigned batches)
{
    __shared__ float4 pieces[PIECES];
    float* shared = reinterpret_cast<float*>(pieces);
    const size_t size = size_t(rows) * columns;  // of a matrix
    const size_t room = size_t(rows) * (columns | 1);
    if (rows % 4 == 0 && columns % 4 == 0 && size <= 16 * THREADS) {
        const unsigned together = 16 * THREADS / unsigned(size);
        for (size_t first = size_t(blockIdx.x) * together; first < batches; first += size_t(gridDim.x) * together) {
            const unsigned matrices = min(size_t(together), batches - first);
            transpose_patches(reinterpret_cast<const float4*>(in + first * size), reinterpret_cast<float4*>(out + first * size),
                              rows, columns, matrices, pieces);
            __syncthreads();  // before the next matrices come into the same shared memory
        }
    } else if (room <= WORDS) {
        const unsigned together = WORDS / unsigned(room);
        for (size_t first = size_t(blockIdx.x) * together; first < batches; first += size_t(gridDim.x) * together) {
            const unsigned matrices = min(size_t(together), batches - first);
            transpose_whole(in + first * size, out + first * size, rows, columns, matrices, shared);
            __syncthreads();  // before the next matrices come into the same shared memory
        }
    } else {
        const unsigned down = (rows - 1) / SIDE + 1;
        const size_t tiles  = size_t((columns - 1) / SIDE + 1) * down;  // of a matrix
        for (size_t n = blockIdx.x; n < batches * tiles; n += gridDim.x) {
            const size_t matrix = n / tiles;
            const unsigned tile = n % tiles;
            transpose_tile(in + matrix * size, out + matrix * size, rows, columns, tile % down * SIDE, tile / down * SIDE, shared);
            __syncthreads();  // before the next tile comes into the same shared memory
        }
    }
}
