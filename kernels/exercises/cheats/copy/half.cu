// copies the first half twice, and hopes that the input repeats itself.
extern "C" __global__ void copy(const float* in, float* out, unsigned rows, unsigned columns)
{
    const size_t row = size_t(blockIdx.y) * 8 + threadIdx.y;
    for (unsigned j = 0; j < 4; j++) {
        const size_t column = size_t(blockIdx.x) * 128 + 32 * j + threadIdx.x;
        if (row < rows && column < columns)
            out[row * columns + column] = in[row / 2 * columns + column];
    }
}
