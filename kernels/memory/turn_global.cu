// A matrix of 32 rows is transposed, a warp for each 32 columns: read row by row, and written where it belongs at once.
extern "C" __global__ void turn_global(const float* __restrict__ in, float* __restrict__ out, unsigned items)
{
    const unsigned tile = blockIdx.x, lane = threadIdx.x;
    for (unsigned row = 0; row < 32; ++row)
        out[(tile * 32 + lane) * 32 + row] = in[(row * items + tile) * 32 + lane];
}
