// Goes without shared memory, and scatters its stores.
extern "C" __global__ void eight_blocks(const double* in, double* out, unsigned rows, unsigned columns)
{
    const size_t row = size_t(blockIdx.y) * 64, column = size_t(blockIdx.x) * 64;
    for (unsigned j = threadIdx.y; j < 64; j += 8)
        for (unsigned k = threadIdx.x; k < 64; k += 32)
            if (row + j < rows && column + k < columns)
                out[(column + k) * rows + row + j] = in[(row + j) * columns + column + k];
}
