// empties a plain tile by atomics that exchange.
extern "C" __global__ void swizzle(const float* in, float* out, unsigned rows, unsigned columns)
{
    __shared__ unsigned tile[16][64];
    const size_t column = size_t(blockIdx.x) * 64 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 16 + threadIdx.y;
    for (unsigned j = 0; j < 16; j += 8)
        for (unsigned k = 0; k < 64; k += 32)
            if (row + j < rows && column + k < columns)
                tile[threadIdx.y + j][threadIdx.x + k] = __float_as_uint(in[(row + j) * columns + column + k]);
    __syncthreads();
    const unsigned r        = threadIdx.x % 16;
    const size_t out_column = size_t(blockIdx.y) * 16 + r;
    for (unsigned j = 0; j < 32; j += 8) {
        const unsigned c     = 2 * (threadIdx.y + j) + threadIdx.x / 16;
        const size_t out_row = size_t(blockIdx.x) * 64 + c;
        if (out_row < columns && out_column < rows)
            out[out_row * rows + out_column] = __uint_as_float(atomicExch(&tile[r][c], 0));
    }
}
