// A transpose of doubles through a tile.
//
// in: rows × columns, out: columns × rows, doubles, both row-major. Block 32×8; it covers
// a tile of 32×32 elements, four a thread.

extern "C" __global__ void doubles(const double* __restrict__ in, double* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
//@ starter
    // TODO Somebody thought: a double is two banks wide, so pad by two. It still conflicts.
    __shared__ double tile[32][32 + 2];
//@ solution
    // 16 lanes are served at a time, and a bank holds half a double: with 33 doubles a
    // row, 16 neighbours in a column lie in 16 different pairs of banks.
    __shared__ double tile[32][32 + 1];
//@ swizzle
    __shared__ double tile[32][32];
//@ halves
    // Low and high words apart, each in a tile as for floats.
    __shared__ unsigned low[32][32 + 1], high[32][32 + 1];
//@ unpadded
    __shared__ double tile[32][32];
//@ more_rows
    __shared__ double tile[32 + 1][32];
//@ as_floats
    __shared__ float tile[32][32 + 1];
//@ swizzle_eight
    __shared__ double tile[32][32];
//@ end

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns) {
//@ starter
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
//@ solution
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
//@ swizzle
            tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(row + j) * columns + column];
//@ swizzle_eight
            tile[threadIdx.y + j][threadIdx.x ^ ((threadIdx.y + j) % 8)] = in[(row + j) * columns + column];
//@ halves
            const unsigned long long both = __double_as_longlong(in[(row + j) * columns + column]);
            low[threadIdx.y + j][threadIdx.x]  = unsigned(both);
            high[threadIdx.y + j][threadIdx.x] = unsigned(both >> 32);
//@ end
        }

    __syncthreads();

    // Write it as it lies in `out`: a warp writes 32 elements of one row, which are a
    // column of the tile.
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows) {
//@ starter
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ solution
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ swizzle
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
//@ swizzle_eight
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j) ^ (threadIdx.x % 8)];
//@ halves
            const unsigned long long both = low[threadIdx.x][threadIdx.y + j]
                                          | (unsigned long long)high[threadIdx.x][threadIdx.y + j] << 32;
            out[(out_row + j) * rows + out_column] = __longlong_as_double(both);
//@ end
        }
}
