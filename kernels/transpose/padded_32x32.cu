// Transpose through a padded tile, one element a thread: as many threads as the
// tile has elements, and one load each on the way to the barrier.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×32; it covers
// a 32×32 tile, one element a thread.

extern "C" __global__ void padded_32x32(const float* __restrict__ in, float* __restrict__ out,
                                        unsigned rows, unsigned columns)
{
    __shared__ float tile[32][32 + 1];

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];

    // What a thread writes below was read by another one. Threads beyond the
    // matrix's edge must come here too: a barrier waits for the whole block.
    __syncthreads();

    // Write it as it lies in `out`: the block's coordinates change places, so
    // that a warp writes 32 elements of one row. It reads a column of the tile.
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    if (out_row < columns && out_column < rows)
        out[out_row * rows + out_column] = tile[threadIdx.x][threadIdx.y];
}
