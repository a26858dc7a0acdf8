// keeps the pitch of 36 words and reads the columns by atomics.
extern "C" __global__ void padding(const float* in, float* out, unsigned rows, unsigned columns)
{
    __shared__ unsigned tile[32][36];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = __float_as_uint(in[(row + j) * columns + column]);
    __syncthreads();
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = __uint_as_float(atomicOr(&tile[threadIdx.x][threadIdx.y + j], 0));
}
