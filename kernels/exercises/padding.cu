// A transpose through a tile without bank conflicts.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers a tile
// of 32×32 elements, four a thread.

extern "C" __global__ void padding(const float* __restrict__ in, float* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
//@ starter
    // TODO With rows of 36 words, a column of this tile lies in 8 banks. Spread it over all 32.
    __shared__ float tile[32][36];
//@ solution
    // From row to row a column moves on by 37 words, which is 5 banks: 32 different ones.
    __shared__ float tile[32][37];
//@ odd
    __shared__ float tile[32][51];
//@ swizzle
    __shared__ float tile[32][36];
//@ turned_going_in
    __shared__ float tile[32][36];
//@ more_rows
    __shared__ float tile[36][32];
//@ by_two
    __shared__ float tile[32][38];
//@ thirty_three
    __shared__ float tile[32][33];
//@ end

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
//@ starter
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
//@ solution
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
//@ swizzle
            tile[threadIdx.y + j][(threadIdx.x + threadIdx.y + j) % 32] = in[(row + j) * columns + column];
//@ turned_going_in
            tile[threadIdx.x][threadIdx.y + j] = in[(row + j) * columns + column];
//@ end

    __syncthreads();

    // Write it as it lies in `out`: a warp writes 32 elements of one row, which are a
    // column of the tile.
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
//@ starter
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ solution
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ swizzle
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.x + threadIdx.y + j) % 32];
//@ turned_going_in
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.y + j][threadIdx.x];
//@ scattered_stores
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            out[column * rows + row + j] = tile[threadIdx.y + j][threadIdx.x];
//@ end
}
