// lets the first block exchange all elements by itself.
extern "C" __global__ void in_place(const float* in, float* out, unsigned rows, unsigned columns)
{
    if (blockIdx.x != 0 || blockIdx.y != 0)
        return;
    const unsigned t = threadIdx.y * 32 + threadIdx.x;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = t; column < row; column += 256) {
            const float one = out[row * columns + column], two = out[column * columns + row];
            out[row * columns + column] = two;
            out[column * columns + row] = one;
        }
}
