// out[row] is the sum of a row; `out` is zero before. Block 32×8; it covers 32 columns and 8 rows.

extern "C" __global__ void row_sum(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;
    if (row < rows && column < columns)
//@ starter
        ;
//@ solution
        atomicAdd(&out[row], in[row * columns + column]);
//@ race
        out[row] += in[row * columns + column];
//@ columns
        atomicAdd(&out[column % rows], in[row * columns + column]);
//@ twice
        atomicAdd(&out[row], 2 * in[row * columns + column]);
//@ end
}
