// A transpose of a square matrix in its own place: `in` and `out` are the same buffer.
//
// Both sides of the matrix are `rows` = `columns`, row-major. Block 32×8; the grid has a
// block for each tile of 32×32 elements.

extern "C" __global__ void in_place(const float* in, float* out, unsigned rows, unsigned columns)
{
//@ starter
    // TODO The block reads tile (blockIdx.x, blockIdx.y) and writes it, turned, to where tile
    // (blockIdx.y, blockIdx.x) is. Who has read that one before? Let one block take both.
    __shared__ float tile[32][32 + 1];
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
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ solution
    // The blocks on one side of the diagonal take two tiles each, those on the other none.
    __shared__ float tile[32][32 + 1];
    __shared__ float mirrored[32][32 + 1];
    if (blockIdx.x > blockIdx.y)
        return;
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    const size_t mirrored_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t mirrored_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
        if (blockIdx.x != blockIdx.y && mirrored_row + j < rows && mirrored_column < columns)
            mirrored[threadIdx.y + j][threadIdx.x] = in[(mirrored_row + j) * columns + mirrored_column];
    }

    // Both tiles are read before either is written.
    __syncthreads();

    for (unsigned j = 0; j < 32; j += 8) {
        if (mirrored_row + j < rows && mirrored_column < columns)
            out[(mirrored_row + j) * columns + mirrored_column] = tile[threadIdx.x][threadIdx.y + j];
        if (blockIdx.x != blockIdx.y && row + j < rows && column < columns)
            out[(row + j) * columns + column] = mirrored[threadIdx.x][threadIdx.y + j];
    }
//@ other_side
    // The blocks on the other side of the diagonal do the work.
    __shared__ float tile[2][32][32 + 1];
    if (blockIdx.y > blockIdx.x)
        return;
    const unsigned at[2][2] = {{blockIdx.x, blockIdx.y}, {blockIdx.y, blockIdx.x}};
    const unsigned tiles = blockIdx.x == blockIdx.y ? 1 : 2;
#pragma unroll
    for (unsigned n = 0; n < 2; n++)
        for (unsigned j = 0; j < 32 && n < tiles; j += 8) {
            const size_t column = size_t(at[n][0]) * 32 + threadIdx.x;
            const size_t row    = size_t(at[n][1]) * 32 + threadIdx.y + j;
            if (row < rows && column < columns)
                tile[n][threadIdx.y + j][threadIdx.x] = in[row * columns + column];
        }
    __syncthreads();
#pragma unroll
    for (unsigned n = 0; n < 2; n++)
        for (unsigned j = 0; j < 32 && n < tiles; j += 8) {
            const size_t column = size_t(at[n][1]) * 32 + threadIdx.x;
            const size_t row    = size_t(at[n][0]) * 32 + threadIdx.y + j;
            if (row < rows && column < columns)
                out[row * columns + column] = tile[n][threadIdx.x][threadIdx.y + j];
        }
//@ fence
    // A fence orders what this block does, and waits for nobody.
    __shared__ float tile[32][32 + 1];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
    __threadfence();
    __syncthreads();
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ no_diagonal
    // Leaves the tiles on the diagonal as they are.
    __shared__ float tile[32][32 + 1];
    __shared__ float mirrored[32][32 + 1];
    if (blockIdx.x >= blockIdx.y)
        return;
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    const size_t mirrored_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t mirrored_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
        if (mirrored_row + j < rows && mirrored_column < columns)
            mirrored[threadIdx.y + j][threadIdx.x] = in[(mirrored_row + j) * columns + mirrored_column];
    }
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8) {
        if (mirrored_row + j < rows && mirrored_column < columns)
            out[(mirrored_row + j) * columns + mirrored_column] = tile[threadIdx.x][threadIdx.y + j];
        if (row + j < rows && column < columns)
            out[(row + j) * columns + column] = mirrored[threadIdx.x][threadIdx.y + j];
    }
//@ both_sides
    // All blocks swap, each pair of tiles twice.
    __shared__ float tile[32][32 + 1];
    __shared__ float mirrored[32][32 + 1];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    const size_t mirrored_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t mirrored_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
        if (mirrored_row + j < rows && mirrored_column < columns)
            mirrored[threadIdx.y + j][threadIdx.x] = in[(mirrored_row + j) * columns + mirrored_column];
    }
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8) {
        if (mirrored_row + j < rows && mirrored_column < columns)
            out[(mirrored_row + j) * columns + mirrored_column] = tile[threadIdx.x][threadIdx.y + j];
        if (row + j < rows && column < columns)
            out[(row + j) * columns + column] = mirrored[threadIdx.x][threadIdx.y + j];
    }
//@ end
}
