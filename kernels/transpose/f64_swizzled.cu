// Transpose of doubles through a swizzled tile: the element of row r and column c
// lies at column c xor r, and nothing is unused.
//
// in: rows × columns, out: columns × rows, doubles, both row-major. Block 32×8;
// it covers a 32×32 tile, four elements a thread.

extern "C" __global__ void f64_swizzled(const double* __restrict__ in, double* __restrict__ out,
                                        unsigned rows, unsigned columns)
{
    __shared__ double tile[32][32];

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(row + j) * columns + column];

    __syncthreads();

    // Write it as it lies in `out`: a warp writes 32 elements of one row, which
    // are a column of the tile.
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}
