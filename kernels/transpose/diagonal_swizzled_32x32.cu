// Transpose through a swizzled tile, the tiles taken in diagonal order.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×32; it covers
// a 32×32 tile, one element a thread.

extern "C" __global__ void diagonal_swizzled_32x32(const float* __restrict__ in, float* __restrict__ out,
                                                   unsigned rows, unsigned columns)
{
    __shared__ float tile[32][32];

    // Which tile: blocks that start one after the other, in the order of blockIdx.x,
    // take tiles that differ in column and in row. Every tile is taken once, in
    // grids of any shape: a block stays in its column of tiles, and within a column
    // blockIdx.y is turned round by blockIdx.x places, a rotation of the rows.
    // The sum fits: a grid has less than 2^31 blocks in x and 2^16 in y.
    const unsigned tile_column = blockIdx.x;
    const unsigned tile_row    = (blockIdx.x + blockIdx.y) % gridDim.y;

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(tile_column) * 32 + threadIdx.x;
    const size_t row    = size_t(tile_row) * 32 + threadIdx.y;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[row * columns + column];

    // What a thread writes below was read by another one. Threads beyond the
    // matrix's edge must come here too: a barrier waits for the whole block.
    __syncthreads();

    // Write it as it lies in `out`: the tile's coordinates change places, so
    // that a warp writes 32 elements of one row. It reads a column of the tile.
    const size_t out_column = size_t(tile_row) * 32 + threadIdx.x;
    const size_t out_row    = size_t(tile_column) * 32 + threadIdx.y;
    if (out_row < columns && out_column < rows)
        out[out_row * rows + out_column] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}
