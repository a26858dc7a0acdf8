// A transpose, one element a thread.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers 8 rows
// and 32 columns of `in`.

extern "C" __global__ void swapped(const float* __restrict__ in, float* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;

//@ starter
    // TODO This is right for square matrices only. One word in this line is wrong.
    if (row < rows && column < columns)
        out[column * columns + row] = in[row * columns + column];
//@ solution
    // A row of `out` is as long as a column of `in`: `rows` elements.
    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
//@ along_out
    // The same elements, but neighbouring lanes take neighbours in `out`.
    const unsigned t = threadIdx.y * 32 + threadIdx.x;
    const size_t down   = size_t(blockIdx.y) * 8 + t % 8;
    const size_t across = size_t(blockIdx.x) * 32 + t / 8;
    if (down < rows && across < columns)
        out[across * rows + down] = in[down * columns + across];
//@ other_side
    if (row < rows && column < columns)
        out[column * columns + row] = in[row * rows + column];
//@ not_turned
    if (row < rows && column < columns)
        out[row * columns + column] = in[row * columns + column];
//@ guard_swapped
    if (row < columns && column < rows)
        out[column * rows + row] = in[row * columns + column];
//@ squares_only
    if (rows == columns && row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
//@ end
}
