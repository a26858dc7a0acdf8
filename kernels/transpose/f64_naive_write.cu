// Transpose of doubles, writes coalesced: neighbouring threads write neighbouring
// elements and read a whole row of `in` apart.
//
// in: rows × columns, out: columns × rows, doubles, both row-major. Block 32×8;
// it covers a 32×32 tile, four elements a thread.

extern "C" __global__ void f64_naive_write(const double* __restrict__ in, double* __restrict__ out,
                                           unsigned rows, unsigned columns)
{
    // threadIdx.x, which runs fastest within a warp, walks along a row of `out`,
    // that is, down a column of `in`.
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.y;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.x;

    for (unsigned j = 0; j < 32; j += 8)
        if (row < rows && column + j < columns)
            out[(column + j) * rows + row] = in[row * columns + column + j];
}
