// A transpose of doubles through a tile of 8 rows and 128 columns.
//
// in: rows × columns, out: columns × rows, doubles, both row-major. Block 32×8; it covers
// a tile of 8×128 elements, four a thread.

extern "C" __global__ void doubles(const double* __restrict__ in, double* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
//@ starter
    // TODO Somebody thought: the pitch must be odd. It still conflicts.
    __shared__ double tile[8][128 + 1];
//@ solution
    // Half a warp takes 8 rows of two columns out: with 130 doubles a row, a column has
    // every second pair of banks, and its neighbour the others.
    __shared__ double tile[8][128 + 2];
//@ six
    __shared__ double tile[8][128 + 6];
//@ swizzle
    __shared__ double tile[8][128];
//@ unpadded
    __shared__ double tile[8][128];
//@ more_rows
    __shared__ double tile[8 + 2][128];
//@ by_four
    __shared__ double tile[8][128 + 4];
//@ swizzle_chapter
    __shared__ double tile[8][128];
//@ as_floats
    __shared__ float tile[8][128 + 2];
//@ end

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(blockIdx.x) * 128 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;
    for (unsigned k = 0; k < 128; k += 32)
        if (row < rows && column + k < columns)
//@ starter
            tile[threadIdx.y][threadIdx.x + k] = in[row * columns + column + k];
//@ solution
            tile[threadIdx.y][threadIdx.x + k] = in[row * columns + column + k];
//@ swizzle
            tile[threadIdx.y][(threadIdx.x + k) ^ (2 * threadIdx.y)] = in[row * columns + column + k];
//@ swizzle_chapter
            tile[threadIdx.y][(threadIdx.x + k) ^ threadIdx.y] = in[row * columns + column + k];
//@ end

    __syncthreads();

    // Write it as it lies in `out`: a warp writes 8 elements of each of four rows, which
    // are four columns of the tile.
    const unsigned r        = threadIdx.x % 8;
    const size_t out_column = size_t(blockIdx.y) * 8 + r;
    for (unsigned j = 0; j < 32; j += 8) {
        const unsigned c     = 4 * (threadIdx.y + j) + threadIdx.x / 8;
        const size_t out_row = size_t(blockIdx.x) * 128 + c;
        if (out_row < columns && out_column < rows)
//@ starter
            out[out_row * rows + out_column] = tile[r][c];
//@ solution
            out[out_row * rows + out_column] = tile[r][c];
//@ swizzle
            out[out_row * rows + out_column] = tile[r][c ^ (2 * r)];
//@ swizzle_chapter
            out[out_row * rows + out_column] = tile[r][c ^ r];
//@ end
    }
}
