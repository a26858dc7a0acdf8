// A transpose through a tile of 32×32 words.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers a tile
// of 32×32 elements, four a thread. A warp is the 32 threads with the same threadIdx.y.
//
// How many wavefronts does one shared request of a warp take? Put a number in the place
// of each question mark. How many rows the matrix of `short_load` has is drawn for you: the
// check tells.
//
//@ starter
// ANSWER store: ?
// ANSWER load: ?
// ANSWER short_load: ?
//@ solution
// ANSWER store: =
// ANSWER load: =
// ANSWER short_load: =
//@ no_conflict
// ANSWER store: 1
// ANSWER load: 1
// ANSWER short_load: 1
//@ sides_swapped
// ANSWER store: 32
// ANSWER load: 1
// ANSWER short_load: 1
//@ as_before
// ANSWER store: 1
// ANSWER load: 32
// ANSWER short_load: 32
//@ end

extern "C" __global__ void tile_banks(const float* __restrict__ in, float* __restrict__ out,
                                      unsigned rows, unsigned columns)
{
    __shared__ float tile[32][32];

    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column]; // the store

    __syncthreads();

    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j]; // the load
}
