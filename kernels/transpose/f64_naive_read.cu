// Transpose of doubles, reads coalesced: neighbouring threads read neighbouring
// elements and write a whole row of `out` apart.
//
// in: rows × columns, out: columns × rows, doubles, both row-major. Block 32×8;
// it covers a 32×32 tile, four elements a thread.

extern "C" __global__ void f64_naive_read(const double* __restrict__ in, double* __restrict__ out,
                                          unsigned rows, unsigned columns)
{
    // threadIdx.x, which runs fastest within a warp, walks along a row of `in`.
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;

    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            out[column * rows + row + j] = in[(row + j) * columns + column];
}
