// The limit for elements of 8 bytes: the same loads as a transpose, the same
// bytes, but every element stays where it is.
//
// in and out: rows × columns doubles, row-major. Block 32×8; it covers a 32×32
// tile, four elements a thread.

extern "C" __global__ void f64_copy(const double* __restrict__ in, double* __restrict__ out,
                                    unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;

    // A warp is one row of the block: 32 neighbouring columns, 256 bytes in a piece.
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            out[(row + j) * columns + column] = in[(row + j) * columns + column];
}
