// The sum of each row of 32 × 32 matrices, a warp each: lane r adds up row r from shared memory, where a row takes PITCH
// floats.
template <unsigned PITCH>
__device__ void sum_rows(const float* __restrict__ in, float* __restrict__ sums, unsigned items)
{
    __shared__ float tiles[8][32 * PITCH];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned matrix = blockIdx.x * 8 + warp;
    if (matrix >= items)
        return;
    float* tile = tiles[warp];
    for (unsigned row = 0; row < 32; ++row)
        tile[row * PITCH + lane] = in[matrix * 1024 + row * 32 + lane];
    __syncwarp();
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned column = 0; column < 32; ++column)
        sum += tile[lane * PITCH + column];
    sums[matrix * 32 + lane] = sum;
}

extern "C" __global__ void row_sums_32(const float* __restrict__ in, float* __restrict__ sums, unsigned items)
{
    sum_rows<32>(in, sums, items);
}

extern "C" __global__ void row_sums_33(const float* __restrict__ in, float* __restrict__ sums, unsigned items)
{
    sum_rows<33>(in, sums, items);
}
