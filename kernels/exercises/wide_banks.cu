// A copy through shared memory, whose lanes load 16 bytes each.
//
// in and out: rows × columns, row-major, 1 to 32 rows of 4 to 64 columns, a multiple of 4. One block of
// 32×1 threads puts the matrix into shared memory as it lies; then lane l takes row l out, 16 bytes at
// a time.
//
// You are asked for wavefronts of the load from shared memory in the last loop, of one warp:
// shared_load_wavefronts per shared_load_instructions. Put a number in the place of each question mark.
//
//@ starter
// ANSWER even: ?
// ANSWER odd: ?
// ANSWER short: ?
//@ solution
// ANSWER even: =
// ANSWER odd: =
// ANSWER short: =
//@ one_by_one
// ANSWER even: 1
// ANSWER odd: 1
// ANSWER short: 1
//@ as_words
// ANSWER even: 32
// ANSWER odd: 4
// ANSWER short: 4
//@ all_lanes_at_once
// ANSWER even: 2
// ANSWER odd: 4
// ANSWER short: 4
//@ end

extern "C" __global__ void wide_banks(const float* __restrict__ in, float* __restrict__ out,
                                      unsigned rows, unsigned columns)
{
    __shared__ float4 pieces[32 * 64 / 4];
    const unsigned lane = threadIdx.x, of_a_row = columns / 4;

    for (unsigned i = lane; i < rows * of_a_row; i += 32)
        pieces[i] = reinterpret_cast<const float4*>(in)[i];
    __syncwarp();

    if (lane < rows)
        for (unsigned i = 0; i < of_a_row; i++)
            reinterpret_cast<float4*>(out)[lane * of_a_row + i] = pieces[lane * of_a_row + i];
}
