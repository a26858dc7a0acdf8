// A matrix of 32 rows, transposed tile by tile in the registers of one warp: in each of five steps lanes whose numbers
// differ in one bit exchange half of their rows.
extern "C" __global__ void turn_shuffle(const float* __restrict__ in, float* __restrict__ out, unsigned tiles)
{
    const unsigned lane = threadIdx.x;
    const size_t columns = (size_t)tiles * 32;
    const float* from = in + blockIdx.x * 32;
    float* to = out + (size_t)blockIdx.x * 1024;
    float column[32];
    for (unsigned row = 0; row < 32; ++row)
        column[row] = from[row * columns + lane];
#pragma unroll
    for (unsigned mask = 16; mask > 0; mask /= 2) {
        const bool is_upper = lane & mask;
#pragma unroll
        for (unsigned row = 0; row < 32; ++row) {
            if (row & mask)
                continue;
            const float given = is_upper ? column[row] : column[row | mask];
            const float got = __shfl_xor_sync(~0u, given, mask);
            column[row] = is_upper ? got : column[row];
            column[row | mask] = is_upper ? column[row | mask] : got;
        }
    }
    for (unsigned row = 0; row < 32; ++row)
        to[row * 32 + lane] = column[row];
}
