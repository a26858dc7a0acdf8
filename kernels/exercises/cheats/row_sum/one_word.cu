// lets 32 lanes add to one word of shared memory by atomics, which take turns.
extern "C" __global__ void row_sum(const unsigned* in, unsigned* out, unsigned rows, unsigned columns)
{
    __shared__ unsigned total[32];
    const size_t first_row    = size_t(blockIdx.y) * 32;
    const size_t first_column = size_t(blockIdx.x) * 256;
    if (threadIdx.y == 0)
        total[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = first_row + threadIdx.y + j;
        unsigned sum = 0;
        for (unsigned k = 0; k < 256; k += 32)
            if (row < rows && first_column + threadIdx.x + k < columns)
                sum += in[row * columns + first_column + threadIdx.x + k];
        atomicAdd(&total[threadIdx.y + j], sum);
    }
    __syncthreads();
    if (threadIdx.y == 0 && first_row + threadIdx.x < rows)
        atomicAdd(&out[first_row + threadIdx.x], total[threadIdx.x]);
}
