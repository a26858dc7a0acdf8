// Transpose through a tile whose rows are turned: element (r, c) lies in column
// (c + r) % 32 of its row, so that the elements of a tile's column are in 32
// different banks.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers
// a 32×32 tile, four elements a thread.

extern "C" __global__ void swizzled_shift(const float* __restrict__ in, float* __restrict__ out,
                                          unsigned rows, unsigned columns)
{
    __shared__ float tile[32][32];

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][(threadIdx.x + threadIdx.y + j) % 32] = in[(row + j) * columns + column];

    // What a thread writes below was read by another one. Threads beyond the
    // matrix's edge must come here too: a barrier waits for the whole block.
    __syncthreads();

    // Write it as it lies in `out`: the block's coordinates change places, so
    // that a warp writes 32 elements of one row. It reads a column of the tile.
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j + threadIdx.x) % 32];
}
