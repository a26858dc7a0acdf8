// Transpose of many small matrices of one shape, one right after the other in memory.
//
// in: batches × rows × columns, out: batches × columns × rows. Block 256, one-dimensional
// grid ("linear") of 64×64 tiles. What fits into shared memory whole is read and written
// as it lies in memory, from one end to the other: then no row's length and no odd
// shape leaves lanes without work. A bigger matrix is taken tile by tile.

constexpr unsigned THREADS = 256;
constexpr unsigned SIDE = 64;                  // of a tile
constexpr unsigned WORDS = SIDE * (SIDE + 1);  // of shared memory
constexpr unsigned PASSES = (WORDS - 1) / THREADS + 1;  // of the block over as many elements

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

// Matrices `first` and following, as many as `shared` has room for.
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
    __shared__ float shared[WORDS];
    const size_t size = size_t(rows) * columns;  // of a matrix
    const size_t room = size_t(rows) * (columns | 1);
    if (room <= WORDS) {
        const unsigned together = WORDS / unsigned(room);
        for (size_t first = size_t(blockIdx.x) * together; first < batches; first += size_t(gridDim.x) * together) {
            const unsigned matrices = min(size_t(together), batches - first);
            transpose_whole(in + first * size, out + first * size, rows, columns, matrices, shared);
            __syncthreads();  // before the next matrices come into the same shared memory
        }
    } else {
        const unsigned down = (rows - 1) / SIDE + 1, across = (columns - 1) / SIDE + 1;
        const unsigned matrix = blockIdx.x / (down * across), tile = blockIdx.x % (down * across);
        transpose_tile(in + matrix * size, out + matrix * size, rows, columns, tile % down * SIDE, tile / down * SIDE, shared);
    }
}
