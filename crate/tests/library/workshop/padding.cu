// Transpose through a tile. in: rows × columns, out: columns × rows, row-major.
// Block 32×8; it covers a tile of 32×32, four elements a thread.

extern "C" __global__ void padded(const float* __restrict__ in, float* __restrict__ out,
                                  unsigned rows, unsigned columns)
{
//@ starter
    // TODO: a column of this tile lies in one bank. Which tile has its columns in 32 banks?
    __shared__ float tile[32][32];
//@ solution
    __shared__ float tile[32][32 + 1];
//@ two
    __shared__ float tile[32][32 + 2];
//@ end

    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
//@ starter
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
//@ solution
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
//@ no_tile
            out[column * rows + row + j] = in[(row + j) * columns + column];
//@ end

//@ starter
    __syncthreads();
//@ solution
    __syncthreads();
//@ no_barrier
//@ end

//@ starter
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ solution
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
//@ no_tile
//@ end
}
