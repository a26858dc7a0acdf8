// reads one element of another tile first, so that the block seems to be elsewhere.
extern "C" __global__ void diagonal(const float* in, float* out, unsigned rows, unsigned columns)
{
    __shared__ float tile[32][33];
    const unsigned tile_column = blockIdx.x, tile_row = blockIdx.y;
    const size_t seeming = size_t((2 * blockIdx.x + blockIdx.y) % gridDim.y) * 32 * columns + tile_column * 32;
    float look = 0;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(look) : "l"(__cvta_generic_to_global(in + seeming)));
    const size_t column = size_t(tile_column) * 32 + threadIdx.x;
    const size_t row    = size_t(tile_row) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];
    __syncthreads();
    const size_t out_column = size_t(tile_row) * 32 + threadIdx.x;
    const size_t out_row    = size_t(tile_column) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
}
