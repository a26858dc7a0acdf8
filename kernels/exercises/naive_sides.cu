// A transpose, one element a thread, that reads as `in` lies.
//
// in: rows × columns, out: columns × rows, both row-major. Block 16×16; it covers 16 rows
// and 16 columns of `in`. So a warp is two rows of the block: lanes 0 to 15 have one
// threadIdx.y, lanes 16 to 31 the next.
//
// How many sectors does one request of a warp touch? Put a number in the place of each
// question mark. The narrow matrices are drawn for you: the check tells their sizes.
//
//@ starter
// ANSWER load: ?
// ANSWER store: ?
// ANSWER narrow_load: ?
// ANSWER narrow_store: ?
//@ solution
// ANSWER load: =
// ANSWER store: =
// ANSWER narrow_load: =
// ANSWER narrow_store: =
//@ one_row
// ANSWER load: 2
// ANSWER store: 16
// ANSWER narrow_load: 1
// ANSWER narrow_store: 4
//@ one_a_lane
// ANSWER load: 4
// ANSWER store: 32
// ANSWER narrow_load: 1
// ANSWER narrow_store: 8
//@ sides_swapped
// ANSWER load: 16
// ANSWER store: 4
// ANSWER narrow_load: 4
// ANSWER narrow_store: 1
//@ two_rows_apart
// ANSWER load: 4
// ANSWER store: 16
// ANSWER narrow_load: 4
// ANSWER narrow_store: 4
//@ end

extern "C" __global__ void naive_sides(const float* __restrict__ in, float* __restrict__ out,
                                       unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 16 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 16 + threadIdx.y;

    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}
