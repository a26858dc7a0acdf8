// Copy a matrix. in and out: rows × columns, row-major. Block 32×8; it covers
// a tile of 32 columns and 8 rows, one element a thread.

extern "C" __global__ void copy(const float* __restrict__ in, float* __restrict__ out,
                                unsigned rows, unsigned columns)
{
//@ starter
    // TODO: which element does this thread copy? Copy it, if it is inside.
//@ solution
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;
    if (row < rows && column < columns)
        out[row * columns + column] = in[row * columns + column];
//@ columns
    const unsigned thread = threadIdx.y * 32 + threadIdx.x;
    const size_t column   = size_t(blockIdx.x) * 32 + thread / 8;
    const size_t row      = size_t(blockIdx.y) * 8 + thread % 8;
    if (row < rows && column < columns)
        out[row * columns + column] = in[row * columns + column];
//@ no_guard
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;
    out[row * columns + column] = in[row * columns + column];
//@ pitch
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;
    if (row < rows && column < columns && row * rows + column < size_t(rows) * columns)
        out[row * columns + column] = in[row * rows + column];
//@ end
}
