// The same through shared memory, where a row takes PITCH floats: what is read row by row is written row by row.
template <unsigned PITCH>
__device__ void turn(const float* __restrict__ in, float* __restrict__ out, unsigned items)
{
    __shared__ float data[32 * PITCH];
    const unsigned tile = blockIdx.x, lane = threadIdx.x;
    for (unsigned row = 0; row < 32; ++row)
        data[row * PITCH + lane] = in[(row * items + tile) * 32 + lane];
    __syncwarp();
    for (unsigned row = 0; row < 32; ++row)
        out[(tile * 32 + row) * 32 + lane] = data[lane * PITCH + row];
}

extern "C" __global__ void turn_32(const float* __restrict__ in, float* __restrict__ out, unsigned items)
{
    turn<32>(in, out, items);
}

extern "C" __global__ void turn_33(const float* __restrict__ in, float* __restrict__ out, unsigned items)
{
    turn<33>(in, out, items);
}
