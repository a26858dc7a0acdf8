// Transpose, reads coalesced: neighbouring threads read neighbouring elements
// and write a whole row of `out` apart.
//
// in: rows × columns, out: columns × rows, both row-major. Blocks of any shape;
// one of w×h threads covers w columns and h rows of `in`, one element a thread.

extern "C" __global__ void naive_read(const float* __restrict__ in, float* __restrict__ out,
                                      unsigned rows, unsigned columns)
{
    // threadIdx.x, which runs fastest within a warp, walks along a row of `in`.
    const size_t column = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * blockDim.y + threadIdx.y;

    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}
