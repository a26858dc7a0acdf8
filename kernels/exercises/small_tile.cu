// A transpose through a tile of 16×16 words, whose rows are padded to 18.
//
// in: rows × columns, out: columns × rows, both row-major. Block 16×16; it covers a tile
// of 16×16 elements, one a thread. So a warp is two rows of the block: lanes 0 to 15 have
// one threadIdx.y, lanes 16 to 31 the next.
//
// How many wavefronts does one shared request of a warp take? Put a number in the place
// of each question mark. How many columns the matrix of `narrow_store` has is drawn for
// you: the check tells.
//
//@ starter
// ANSWER store: ?
// ANSWER load: ?
// ANSWER narrow_store: ?
//@ solution
// ANSWER store: =
// ANSWER load: =
// ANSWER narrow_store: =
//@ as_32
// ANSWER store: 1
// ANSWER load: 2
// ANSWER narrow_store: 1
//@ no_conflict
// ANSWER store: 1
// ANSWER load: 1
// ANSWER narrow_store: 1
//@ both
// ANSWER store: 2
// ANSWER load: 2
// ANSWER narrow_store: 2
//@ end

extern "C" __global__ void small_tile(const float* __restrict__ in, float* __restrict__ out,
                                      unsigned rows, unsigned columns)
{
    __shared__ float tile[16][16 + 2];

    const size_t column = size_t(blockIdx.x) * 16 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 16 + threadIdx.y;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column]; // the store

    __syncthreads();

    const size_t out_column = size_t(blockIdx.y) * 16 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 16 + threadIdx.y;
    if (out_row < columns && out_column < rows)
        out[out_row * rows + out_column] = tile[threadIdx.x][threadIdx.y]; // the load
}
