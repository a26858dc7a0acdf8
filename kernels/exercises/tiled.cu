// A transpose whose reads and writes of global memory are both coalesced.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers a tile
// of 32×32 elements, four a thread: rows threadIdx.y, threadIdx.y + 8, + 16 and + 24.

extern "C" __global__ void tiled(const float* __restrict__ in, float* __restrict__ out,
                                 unsigned rows, unsigned columns)
{
//@ starter
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;

    // TODO A warp reads 32 elements of one row, and writes them to 32 rows of `out`. Let
    // the block put its tile into shared memory first, in a loop like this one. Then a
    // second loop takes it out so that a warp writes 32 elements of one row of `out`.
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            out[column * rows + row + j] = in[(row + j) * columns + column];
//@ solution
    __shared__ float tile[32][32];

    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];

    __syncthreads();

    // In `out` the tile stands mirrored: blockIdx.x and blockIdx.y change places, and a
    // row of the result is a column of the tile.
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ turned_going_in
    // The tile holds the result: turned when it is filled, not when it is emptied.
    __shared__ float tile[32][32];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.x][threadIdx.y + j] = in[(row + j) * columns + column];
    __syncthreads();
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.y + j][threadIdx.x];
//@ no_barrier
    __shared__ float tile[32][32];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ one_guard
    __shared__ float tile[32][32];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
    __syncthreads();
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ early_return
    __shared__ float tile[32][32];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    if (row >= rows || column >= columns)
        return;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
    __syncthreads();
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ tile_not_turned
    __shared__ float tile[32][32];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
    __syncthreads();
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.y + j][threadIdx.x];
//@ scattered_stores
    // Through shared memory, but the stores go to global memory as before.
    __shared__ float tile[32][32];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            out[column * rows + row + j] = tile[threadIdx.y + j][threadIdx.x];
//@ end
}
