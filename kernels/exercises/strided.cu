// A copy in which a warp goes down a column: lane i takes the element of row i.
//
// in and out: rows × columns, row-major. Block 32×1; it covers 32 rows of one column,
// one element a thread. So from lane to lane the address grows by one row: `columns` floats.
//
// How many sectors does one load of a warp touch? Put a number in the place of each
// question mark. Which matrices are meant is drawn for you: the check tells.
//
//@ starter
// ANSWER few: ?
// ANSWER many: ?
// ANSWER short: ?
//@ solution
// ANSWER few: =
// ANSWER many: =
// ANSWER short: =
//@ all_coalesced
// ANSWER few: 4
// ANSWER many: 4
// ANSWER short: 4
//@ one_a_lane
// ANSWER few: 32
// ANSWER many: 32
// ANSWER short: 32
//@ grows_on
// ANSWER few: 64
// ANSWER many: 128
// ANSWER short: 64
//@ rounds_up
// ANSWER few: 16
// ANSWER many: 32
// ANSWER short: 16
//@ end

extern "C" __global__ void strided(const float* __restrict__ in, float* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
    const size_t column = blockIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.x;

    if (row < rows)
        out[row * columns + column] = in[row * columns + column];
}
