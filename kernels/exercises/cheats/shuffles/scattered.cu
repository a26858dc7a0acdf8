// does without shuffles and without shared memory, and stores down the columns.
extern "C" __global__ void shuffles(const float* in, float* out, unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    for (unsigned i = 0; i < 32; i++) {
        const size_t row = size_t(blockIdx.y) * 32 + i;
        if (row < rows && column < columns)
            out[column * rows + row] = in[row * columns + column];
    }
}
