// A copy in which a warp goes down a column: lane i takes the element of row i.
//
// in and out: rows × columns, row-major. Block 32×1; it covers 32 rows of one column,
// one element a thread. So from lane to lane the address grows by one row: `columns` floats.
//
// How many sectors does one load of a warp touch? Put a number in the place of each
// question mark: columns_2 is for a matrix of 32 rows and 2 columns, and so on.
//
//@ starter
// ANSWER columns_1: ?
// ANSWER columns_2: ?
// ANSWER columns_3: ?
// ANSWER columns_8: ?
// ANSWER columns_32: ?
//@ solution
// ANSWER columns_1: 4
// ANSWER columns_2: 8
// ANSWER columns_3: 12
// ANSWER columns_8: 32
// ANSWER columns_32: 32
//@ all_coalesced
// ANSWER columns_1: 4
// ANSWER columns_2: 4
// ANSWER columns_3: 4
// ANSWER columns_8: 4
// ANSWER columns_32: 4
//@ one_a_lane
// ANSWER columns_1: 32
// ANSWER columns_2: 32
// ANSWER columns_3: 32
// ANSWER columns_8: 32
// ANSWER columns_32: 32
//@ grows_on
// ANSWER columns_1: 4
// ANSWER columns_2: 8
// ANSWER columns_3: 12
// ANSWER columns_8: 32
// ANSWER columns_32: 128
//@ rounds_up
// ANSWER columns_1: 4
// ANSWER columns_2: 8
// ANSWER columns_3: 16
// ANSWER columns_8: 32
// ANSWER columns_32: 32
//@ end

extern "C" __global__ void strided(const float* __restrict__ in, float* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
    const size_t column = blockIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.x;

    if (row < rows)
        out[row * columns + column] = in[row * columns + column];
}
