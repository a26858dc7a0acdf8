// reads the conflicting tile by atomics of 8 bytes.
extern "C" __global__ void doubles(const double* in, double* out, unsigned rows, unsigned columns)
{
    __shared__ unsigned long long tile[8][128 + 1];
    const size_t column = size_t(blockIdx.x) * 128 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;
    for (unsigned k = 0; k < 128; k += 32)
        if (row < rows && column + k < columns)
            tile[threadIdx.y][threadIdx.x + k] = __double_as_longlong(in[row * columns + column + k]);
    __syncthreads();
    const unsigned r        = threadIdx.x % 8;
    const size_t out_column = size_t(blockIdx.y) * 8 + r;
    for (unsigned j = 0; j < 32; j += 8) {
        const unsigned c     = 4 * (threadIdx.y + j) + threadIdx.x / 8;
        const size_t out_row = size_t(blockIdx.x) * 128 + c;
        if (out_row < columns && out_column < rows)
            out[out_row * rows + out_column] = __longlong_as_double(atomicOr(&tile[r][c], 0ull));
    }
}
