// A sum of floats by as many threads as there are, however many: each has so many loads under way at a time, and adds up
// what they bring before it asks for more.
template <unsigned loads>
__device__ float sum_of_share(const float* x, unsigned items)
{
    const unsigned threads = gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned first = blockIdx.x * blockDim.x + threadIdx.x; first < items; first += loads * threads) {
        float found[loads];
        for (unsigned k = 0; k < loads; ++k)
            found[k] = first + k * threads < items ? x[first + k * threads] : 0.0f;
        for (unsigned k = 0; k < loads; ++k)
            sum += found[k];
    }
    return sum;
}

template <unsigned loads>
__device__ void add_up(const float* x, float* sum, unsigned items)
{
    __shared__ float warps[32];
    float mine = sum_of_share<loads>(x, items);
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    mine = threadIdx.x < (blockDim.x + 31) / 32 ? warps[threadIdx.x] : 0.0f;
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (threadIdx.x == 0)
        atomicAdd(sum, mine);
}

extern "C" __global__ void in_flight_1(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__,
                                       unsigned* __restrict__, unsigned items)
{
    add_up<1>(x, sum, items);
}

extern "C" __global__ void in_flight_2(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__,
                                       unsigned* __restrict__, unsigned items)
{
    add_up<2>(x, sum, items);
}

extern "C" __global__ void in_flight_4(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__,
                                       unsigned* __restrict__, unsigned items)
{
    add_up<4>(x, sum, items);
}

extern "C" __global__ void in_flight_8(const float* __restrict__ x, float* __restrict__ sum, float* __restrict__,
                                       unsigned* __restrict__, unsigned items)
{
    add_up<8>(x, sum, items);
}
