// A transpose by shuffles: a warp holds a tile of 32×32 elements in its registers.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×1, one warp; it covers
// a tile of 32×32 elements. After the loads, lane l holds column l of the tile: v[i] is the
// element of row i. Before the stores it must hold row l: v[i] is the element of column i.

extern "C" __global__ void shuffles(const float* __restrict__ in, float* __restrict__ out,
                                    unsigned rows, unsigned columns)
{
    const unsigned lane      = threadIdx.x;
    const size_t first_row    = size_t(blockIdx.y) * 32;
    const size_t first_column = size_t(blockIdx.x) * 32;

    float v[32];
#pragma unroll
    for (unsigned i = 0; i < 32; i++) {
        const bool inside = first_row + i < rows && first_column + lane < columns;
        v[i] = inside ? in[(first_row + i) * columns + first_column + lane] : 0.0f;
    }

//@ starter
    // TODO Exchange halves: lanes 0 to 15 keep the upper half of their v and lanes 16 to 31
    // the lower one, and each gets from lane ^ 16 what it lacks. Then the same with 8, 4, 2, 1
    // in the place of 16. Loops whose bounds are constants are unrolled, so that v stays in
    // registers.
//@ solution
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
#pragma unroll
        for (unsigned i = 0; i < 32; i++)
            if ((i & distance) == 0) {
                // Rows i and i + distance: this lane keeps the one that its number asks for.
                const bool upper = (lane & distance) == 0;
                const float give = upper ? v[i + distance] : v[i];
                const float got  = __shfl_xor_sync(0xffffffff, give, distance);
                if (upper)
                    v[i + distance] = got;
                else
                    v[i] = got;
            }
//@ upwards
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2)
#pragma unroll
        for (unsigned i = 0; i < 32; i++)
            if ((i & distance) == 0) {
                const bool upper = (lane & distance) == 0;
                const float got  = __shfl_xor_sync(0xffffffff, upper ? v[i + distance] : v[i], distance);
                v[i]            = upper ? v[i] : got;
                v[i + distance] = upper ? got : v[i + distance];
            }
//@ one_step
#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
        const bool upper = lane < 16;
        const float got  = __shfl_xor_sync(0xffffffff, upper ? v[i + 16] : v[i], 16);
        v[i]      = upper ? v[i] : got;
        v[i + 16] = upper ? got : v[i + 16];
    }
//@ wrong_half
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
#pragma unroll
        for (unsigned i = 0; i < 32; i++)
            if ((i & distance) == 0) {
                const bool upper = (lane & distance) == 0;
                const float got  = __shfl_xor_sync(0xffffffff, upper ? v[i] : v[i + distance], distance);
                v[i]            = upper ? got : v[i];
                v[i + distance] = upper ? v[i + distance] : got;
            }
//@ through_tile
    __shared__ float tile[32][32 + 1];
#pragma unroll
    for (unsigned i = 0; i < 32; i++)
        tile[i][lane] = v[i];
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < 32; i++)
        v[i] = tile[lane][i];
//@ at_run_time
    // Which of its values a lane gives is known only at run time, so that v lies in memory.
    float turned[32];
    for (unsigned s = 0; s < 32; s++)
        turned[lane ^ s] = __shfl_xor_sync(0xffffffff, v[lane ^ s], s);
#pragma unroll
    for (unsigned i = 0; i < 32; i++)
        v[i] = turned[i];
//@ end

#pragma unroll
    for (unsigned i = 0; i < 32; i++)
        if (first_column + i < columns && first_row + lane < rows)
            out[(first_column + i) * rows + first_row + lane] = v[i];
}
