// Transpose through a small padded tile. A pitch of 17 words is odd, and yet two
// lanes meet in a bank, on both sides: a warp is two rows of the tile.
//
// in: rows × columns, out: columns × rows, both row-major. Block 16×16; it covers
// a 16×16 tile, one element a thread.

extern "C" __global__ void padded_16x17(const float* __restrict__ in, float* __restrict__ out,
                                        unsigned rows, unsigned columns)
{
    __shared__ float tile[16][16 + 1];

    // Read the tile as it lies in `in`: a warp reads 16 elements of each of two rows.
    const size_t column = size_t(blockIdx.x) * 16 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 16 + threadIdx.y;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];

    // What a thread writes below was read by another one. Threads beyond the
    // matrix's edge must come here too: a barrier waits for the whole block.
    __syncthreads();

    // Write it as it lies in `out`: the block's coordinates change places, so
    // that a warp writes 16 elements of each of two rows. It reads two columns.
    const size_t out_column = size_t(blockIdx.y) * 16 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 16 + threadIdx.y;
    if (out_row < columns && out_column < rows)
        out[out_row * rows + out_column] = tile[threadIdx.x][threadIdx.y];
}
