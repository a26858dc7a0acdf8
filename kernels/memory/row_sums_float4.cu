// The same with four floats at a time, which wants rows at multiples of 16 bytes: a pitch of 33 is none, 36 is.
template <unsigned PITCH>
__device__ void sum_rows(const float* __restrict__ in, float* __restrict__ sums, unsigned items)
{
    __shared__ __align__(16) float tiles[8][32 * PITCH];
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
    for (unsigned column = 0; column < 32; column += 4) {
        const float4 four = *reinterpret_cast<const float4*>(&tile[lane * PITCH + column]);
        sum += four.x + four.y + four.z + four.w;
    }
    sums[matrix * 32 + lane] = sum;
}

extern "C" __global__ void row_sums_float4_32(const float* __restrict__ in, float* __restrict__ sums, unsigned items)
{
    sum_rows<32>(in, sums, items);
}

extern "C" __global__ void row_sums_float4_36(const float* __restrict__ in, float* __restrict__ sums, unsigned items)
{
    sum_rows<36>(in, sums, items);
}
