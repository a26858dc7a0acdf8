// exchanges elements by atomics, whose order nobody asks for.
extern "C" __global__ void in_place(const float* in, float* out, unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = size_t(blockIdx.y) * 32 + threadIdx.y + j;
        if (row < rows && column < row) {
            const float one = atomicExch(out + row * columns + column, out[column * columns + row]);
            atomicExch(out + column * columns + row, one);
        }
    }
}
