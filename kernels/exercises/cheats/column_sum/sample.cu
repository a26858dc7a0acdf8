// adds up every second row and doubles the sum.
extern "C" __global__ void column_sum(const unsigned* in, unsigned* out, unsigned rows, unsigned columns)
{
    __shared__ unsigned partial[8][32];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t first  = size_t(blockIdx.y) * 256;
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 16) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += 2 * in[row * columns + column];
    }
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < columns) {
        for (unsigned k = 1; k < 8; k++)
            sum += partial[k][threadIdx.x];
        atomicAdd(&out[column], sum);
    }
}
