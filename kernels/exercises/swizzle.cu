// A transpose through a tile of exactly 16×64 words, without bank conflicts.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers a tile
// of 16 rows and 64 columns, four elements a thread.

extern "C" __global__ void swizzle(const float* __restrict__ in, float* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
//@ starter
    // TODO Take the two unused columns away. Then place the elements of each row so that
    // what a warp puts in and what it takes out lies in 32 banks, here and below.
    __shared__ float tile[16][64 + 2];
//@ solution
    // The element of row r and column c of the tile lies in row r and column c ^ 2r: a
    // column has every second bank, and its neighbour the others.
    __shared__ float tile[16][64];
//@ end

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(blockIdx.x) * 64 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 16 + threadIdx.y;
    for (unsigned j = 0; j < 16; j += 8)
        for (unsigned k = 0; k < 64; k += 32)
            if (row + j < rows && column + k < columns)
//@ starter
                tile[threadIdx.y + j][threadIdx.x + k] = in[(row + j) * columns + column + k];
//@ solution
                tile[threadIdx.y + j][(threadIdx.x + k) ^ (2 * (threadIdx.y + j))] =
                    in[(row + j) * columns + column + k];
//@ shift
                tile[threadIdx.y + j][(threadIdx.x + k + 2 * (threadIdx.y + j)) % 64] =
                    in[(row + j) * columns + column + k];
//@ triple
                tile[threadIdx.y + j][(threadIdx.x + k + 6 * (threadIdx.y + j)) % 64] =
                    in[(row + j) * columns + column + k];
//@ plain
                tile[threadIdx.y + j][threadIdx.x + k] = in[(row + j) * columns + column + k];
//@ chapters
                tile[threadIdx.y + j][(threadIdx.x + k) ^ (threadIdx.y + j)] = in[(row + j) * columns + column + k];
//@ four
                tile[threadIdx.y + j][(threadIdx.x + k) ^ (4 * (threadIdx.y + j))] =
                    in[(row + j) * columns + column + k];
//@ without_j
                tile[threadIdx.y + j][(threadIdx.x + k) ^ (2 * threadIdx.y)] = in[(row + j) * columns + column + k];
//@ end

    __syncthreads();

    // Write it as it lies in `out`: a warp writes 16 elements of each of two rows, which
    // are two columns of the tile.
    const unsigned r        = threadIdx.x % 16;
    const size_t out_column = size_t(blockIdx.y) * 16 + r;
    for (unsigned j = 0; j < 32; j += 8) {
        const unsigned c     = 2 * (threadIdx.y + j) + threadIdx.x / 16;
        const size_t out_row = size_t(blockIdx.x) * 64 + c;
        if (out_row < columns && out_column < rows)
//@ starter
            out[out_row * rows + out_column] = tile[r][c];
//@ solution
            out[out_row * rows + out_column] = tile[r][c ^ (2 * r)];
//@ shift
            out[out_row * rows + out_column] = tile[r][(c + 2 * r) % 64];
//@ triple
            out[out_row * rows + out_column] = tile[r][(c + 6 * r) % 64];
//@ plain
            out[out_row * rows + out_column] = tile[r][c];
//@ chapters
            out[out_row * rows + out_column] = tile[r][c ^ r];
//@ four
            out[out_row * rows + out_column] = tile[r][c ^ (4 * r)];
//@ store_only
            out[out_row * rows + out_column] = tile[r][c];
//@ end
    }
}
