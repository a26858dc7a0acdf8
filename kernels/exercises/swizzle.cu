// A transpose through a tile of exactly 32×32 words, without bank conflicts.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers a tile
// of 32×32 elements, four a thread.

extern "C" __global__ void swizzle(const float* __restrict__ in, float* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
//@ starter
    // TODO Take the unused column away. Then place the elements of each row so that no
    // two elements of a column are in one bank, here and where the tile is read.
    __shared__ float tile[32][32 + 1];
//@ solution
    // The element of row r and column c of the tile lies in row r and column c ^ r.
    __shared__ float tile[32][32];
//@ end

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
//@ starter
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
//@ solution
            tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(row + j) * columns + column];
//@ shift
            tile[threadIdx.y + j][(threadIdx.x + threadIdx.y + j) % 32] = in[(row + j) * columns + column];
//@ triple
            tile[threadIdx.y + j][(threadIdx.x + 3 * (threadIdx.y + j)) % 32] = in[(row + j) * columns + column];
//@ plain
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
//@ half
            tile[threadIdx.y + j][threadIdx.x ^ ((threadIdx.y + j) / 2)] = in[(row + j) * columns + column];
//@ sixteen
            tile[threadIdx.y + j][threadIdx.x ^ ((threadIdx.y + j) % 16)] = in[(row + j) * columns + column];
//@ without_j
            tile[threadIdx.y + j][threadIdx.x ^ threadIdx.y] = in[(row + j) * columns + column];
//@ end

    __syncthreads();

    // Write it as it lies in `out`: a warp writes 32 elements of one row, which are a
    // column of the tile.
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
//@ starter
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ solution
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
//@ shift
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j + threadIdx.x) % 32];
//@ triple
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j + 3 * threadIdx.x) % 32];
//@ plain
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ store_only
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ half
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j) ^ (threadIdx.x / 2)];
//@ sixteen
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][(threadIdx.y + j) ^ (threadIdx.x % 16)];
//@ end
}
