// Transpose of a square matrix in its own memory.
//
// matrix: side × side, row-major, of 4-byte elements. A block takes a tile below the
// diagonal and the one it changes places with: both are read before either is written, so
// no block overwrites what another one still needs. Block 256; a pair of 64×64 tiles, on
// the diagonal one tile. One-dimensional grid ("linear") of about half as many blocks as
// the matrix has tiles. Where rows begin at multiples of 16 bytes, a thread moves so many at
// once.

constexpr unsigned SIDE = 64;            // of a tile
constexpr unsigned THREADS = 256;
constexpr unsigned STEP = THREADS / SIDE;  // rows of a tile that the block reads at once
constexpr unsigned PASSES = SIDE / STEP;

union Shared {
    float tile[SIDE][SIDE + 1];    // padded, as in padded.cu
    float4 piece[SIDE][SIDE / 4];  // swizzled, as in vectorized.cu
};

// Puts the tile whose first row and column are given into shared memory.
__device__ inline void read_tile(const float* matrix, unsigned side, unsigned first_row, unsigned first_column, Shared& shared)
{
    const unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, row = first_row + y, column = first_column + x;
    const float* from = matrix + (size_t(row) * side + column);
    const size_t step = size_t(STEP) * side;
    float element[PASSES];
#pragma unroll
    for (unsigned n = 0; n < PASSES; n++, from += step)
        if (row + n * STEP < side && column < side)
            element[n] = *from;
#pragma unroll
    for (unsigned n = 0; n < PASSES; n++)
        shared.tile[y + n * STEP][x] = element[n];
}

// Writes the transposed tile to where its first row and column are given.
__device__ inline void write_tile(float* matrix, unsigned side, unsigned first_row, unsigned first_column, const Shared& shared)
{
    const unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, row = first_row + y, column = first_column + x;
    float* to = matrix + (size_t(row) * side + column);
    const size_t step = size_t(STEP) * side;
#pragma unroll 8
    for (unsigned n = 0; n < PASSES; n++, to += step)
        if (row + n * STEP < side && column < side)
            *to = shared.tile[x][y + n * STEP];
}

// The same with 16 bytes a thread, as in vectorized.cu: a thread turns a patch of 4×4
// elements in its registers, and `shared` holds pieces of the transposed tile.
__device__ inline void read_patches(const float* matrix, unsigned side, unsigned first_row, unsigned first_column, Shared& shared)
{
    const unsigned x = threadIdx.x % (SIDE / 4), y = threadIdx.x / (SIDE / 4);
    if (first_row + 4 * y < side && first_column + 4 * x < side) {
        const float4* from = reinterpret_cast<const float4*>(matrix + (size_t(first_row + 4 * y) * side + first_column + 4 * x));
        const float4 a = from[0], b = from[side / 4], c = from[side / 4 * 2], d = from[side / 4 * 3];
        shared.piece[4 * x][y ^ x % 8]     = make_float4(a.x, b.x, c.x, d.x);
        shared.piece[4 * x + 1][y ^ x % 8] = make_float4(a.y, b.y, c.y, d.y);
        shared.piece[4 * x + 2][y ^ x % 8] = make_float4(a.z, b.z, c.z, d.z);
        shared.piece[4 * x + 3][y ^ x % 8] = make_float4(a.w, b.w, c.w, d.w);
    }
}

__device__ inline void write_pieces(float* matrix, unsigned side, unsigned first_row, unsigned first_column, const Shared& shared)
{
    const unsigned x = threadIdx.x % (SIDE / 4), column = first_column + 4 * x;
#pragma unroll
    for (unsigned y = threadIdx.x / (SIDE / 4); y < SIDE; y += THREADS / (SIDE / 4))
        if (first_row + y < side && column < side)
            *reinterpret_cast<float4*>(matrix + (size_t(first_row + y) * side + column)) = shared.piece[y][x ^ y / 4 % 8];
}

extern "C" __global__ void __launch_bounds__(THREADS, 4) in_place(float* matrix, unsigned side)
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

        const bool other = row != column;
        if (side % 4 == 0) {
            read_patches(matrix, side, row, column, below);
            if (other)
                read_patches(matrix, side, column, row, above);
            __syncthreads();
            write_pieces(matrix, side, column, row, below);
            if (other)
                write_pieces(matrix, side, row, column, above);
        } else {
            read_tile(matrix, side, row, column, below);
            if (other)
                read_tile(matrix, side, column, row, above);
            __syncthreads();
            write_tile(matrix, side, column, row, below);
            if (other)
                write_tile(matrix, side, row, column, above);
        }
        __syncthreads();  // before the next pair comes into the same shared memory
    }
}
