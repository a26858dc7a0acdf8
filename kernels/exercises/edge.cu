// A transpose, one element a thread, for matrices of every shape.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers 8 rows
// and 32 columns of `in`. The grid covers the matrix with whole blocks, so that at its
// right and lower edges some threads have no element.

extern "C" __global__ void edge(const float* __restrict__ in, float* __restrict__ out,
                                unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;

//@ starter
    // TODO Threads without an element must do nothing. This condition lets some of them
    // through: which ones, and where do they write?
    if (row * columns + column < size_t(rows) * columns)
//@ solution
    // A thread has an element if its row and its column are in the matrix, each by itself.
    if (row < rows && column < columns)
//@ returns
    if (row >= rows || column >= columns)
        return;
//@ off_by_one
    if (row <= rows && column <= columns)
//@ column_only
    if (column < columns)
//@ guard_swapped
    if (row < columns && column < rows)
//@ whole_blocks
    if (size_t(blockIdx.y) * 8 + 8 <= rows && size_t(blockIdx.x) * 32 + 32 <= columns)
//@ end
        out[column * rows + row] = in[row * columns + column];
}
