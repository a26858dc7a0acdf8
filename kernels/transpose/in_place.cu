// Transpose of a square matrix in its own memory.
//
// matrix: side × side, row-major, of 4-byte elements. A block takes a tile below the
// diagonal and the one it changes places with: both are read before either is written, so
// no block overwrites what another one still needs. Block 256; a pair of 64×64 tiles, on
// the diagonal one tile. One-dimensional grid ("linear") of about half as many blocks as
// the matrix has tiles.

constexpr unsigned SIDE = 64;            // of a tile
constexpr unsigned THREADS = 256;
constexpr unsigned STEP = THREADS / SIDE;  // rows of a tile that the block reads at once
constexpr unsigned PASSES = SIDE / STEP;

struct Shared {
    float tile[SIDE][SIDE + 1];  // padded, as in padded.cu
};

// Reads the tile whose first row and column are given; what lies outside stays as it was.
__device__ inline void read_tile(const float* matrix, unsigned side, unsigned first_row, unsigned first_column, float (&element)[PASSES])
{
    const unsigned row = first_row + threadIdx.x / SIDE, column = first_column + threadIdx.x % SIDE;
    const float* from  = matrix + (size_t(row) * side + column);
    const size_t step  = size_t(STEP) * side;
#pragma unroll
    for (unsigned n = 0; n < PASSES; n++, from += step)
        if (row + n * STEP < side && column < side)
            element[n] = *from;
}

__device__ inline void keep_tile(Shared& shared, const float (&element)[PASSES])
{
#pragma unroll
    for (unsigned n = 0; n < PASSES; n++)
        shared.tile[threadIdx.x / SIDE + n * STEP][threadIdx.x % SIDE] = element[n];
}

// Writes the transposed tile to where its first row and column are given.
__device__ inline void write_tile(float* matrix, unsigned side, unsigned first_row, unsigned first_column, const Shared& shared)
{
    const unsigned row = first_row + threadIdx.x / SIDE, column = first_column + threadIdx.x % SIDE;
    float* to = matrix + (size_t(row) * side + column);
    const size_t step = size_t(STEP) * side;
#pragma unroll 8
    for (unsigned n = 0; n < PASSES; n++, to += step)
        if (row + n * STEP < side && column < side)
            *to = shared.tile[threadIdx.x % SIDE][threadIdx.x / SIDE + n * STEP];
}

extern "C" __global__ void __launch_bounds__(THREADS, 3) in_place(float* matrix, unsigned side)
{
    __shared__ Shared below, above;
    const unsigned tiles = (side - 1) / SIDE + 1;
    const unsigned pairs = tiles * (tiles + 1) / 2;  // with the tiles on the diagonal
    for (unsigned pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        // Rows of tiles below the diagonal have 1, 2, 3 … of them: the first and the last
        // together, the second and the last but one … always tiles + 1.
        const unsigned line = pair / (tiles + 1), place = pair % (tiles + 1);
        const bool upper    = place <= line;
        const unsigned row    = (upper ? line : tiles - 1 - line) * SIDE;
        const unsigned column = (upper ? place : place - line - 1) * SIDE;

        float one[PASSES], other[PASSES];
        read_tile(matrix, side, row, column, one);
        if (row != column)
            read_tile(matrix, side, column, row, other);
        keep_tile(below, one);
        if (row != column)
            keep_tile(above, other);
        __syncthreads();
        write_tile(matrix, side, column, row, below);
        if (row != column)
            write_tile(matrix, side, row, column, above);
        __syncthreads();  // before the next pair comes into the same shared memory
    }
}
