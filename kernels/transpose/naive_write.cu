// Transpose, writes coalesced: neighbouring threads write neighbouring elements
// and read a whole row of `in` apart.
//
// in: rows × columns, out: columns × rows, both row-major. Blocks of any shape;
// one of w×h threads covers h columns and w rows of `in`, one element a thread.

extern "C" __global__ void naive_write(const float* __restrict__ in, float* __restrict__ out,
                                       unsigned rows, unsigned columns)
{
    // threadIdx.x, which runs fastest within a warp, walks along a row of `out`,
    // that is, down a column of `in`.
    const size_t column = size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    const size_t row    = size_t(blockIdx.y) * blockDim.x + threadIdx.x;

    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}
