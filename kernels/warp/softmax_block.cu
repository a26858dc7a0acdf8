// The softmax of rows to the base 2, a block for each row. A row of up to 16384 floats is read once and stays in the
// block's registers; a longer one, or one that does not begin at a multiple of 16 bytes, is read three times.
constexpr unsigned THREADS = 512, WARPS = THREADS / 32;
// Sixteen bytes of a thread, eight times: 16384 floats of a block.
constexpr unsigned FOURS = 8;

struct Largest {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

// What all threads of the block have, taken together, for each of them.
template <typename Together>
__device__ float of_block(float mine, float* warps, Together together)
{
    for (unsigned mask = 16; mask > 0; mask /= 2)
        mine = together(mine, __shfl_xor_sync(~0u, mine, mask));
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = warps[threadIdx.x % WARPS];
    for (unsigned mask = WARPS / 2; mask > 0; mask /= 2)
        mine = together(mine, __shfl_xor_sync(~0u, mine, mask));
    return mine;
}

__device__ void held(const float* from, float* to, unsigned columns, float* largests, float* sums)
{
    const float lowest = __int_as_float(0xff800000);
    float4 mine[FOURS];
    for (unsigned k = 0; k < FOURS; ++k) {
        const unsigned four = threadIdx.x + k * THREADS;
        mine[k] = four < columns / 4 ? ((const float4*)from)[four] : make_float4(lowest, lowest, lowest, lowest);
    }
    float largest = lowest;
    for (unsigned k = 0; k < FOURS; ++k)
        largest = fmaxf(largest, fmaxf(fmaxf(mine[k].x, mine[k].y), fmaxf(mine[k].z, mine[k].w)));
    largest = of_block(largest, largests, Largest());
    float sum = 0.0f;
    for (unsigned k = 0; k < FOURS; ++k) {
        mine[k] = make_float4(exp2f(mine[k].x - largest), exp2f(mine[k].y - largest), exp2f(mine[k].z - largest),
                              exp2f(mine[k].w - largest));
        sum += (mine[k].x + mine[k].y) + (mine[k].z + mine[k].w);
    }
    const float share = 1.0f / of_block(sum, sums, Sum());
    for (unsigned k = 0; k < FOURS; ++k) {
        const unsigned four = threadIdx.x + k * THREADS;
        if (four < columns / 4)
            ((float4*)to)[four] =
                make_float4(mine[k].x * share, mine[k].y * share, mine[k].z * share, mine[k].w * share);
    }
}

__device__ void read_thrice(const float* from, float* to, unsigned columns, float* largests, float* sums)
{
    float largest = __int_as_float(0xff800000);
    for (unsigned column = threadIdx.x; column < columns; column += THREADS)
        largest = fmaxf(largest, from[column]);
    largest = of_block(largest, largests, Largest());
    float sum = 0.0f;
    for (unsigned column = threadIdx.x; column < columns; column += THREADS)
        sum += exp2f(from[column] - largest);
    const float share = 1.0f / of_block(sum, sums, Sum());
    for (unsigned column = threadIdx.x; column < columns; column += THREADS)
        to[column] = exp2f(from[column] - largest) * share;
}

extern "C" __global__ void __launch_bounds__(512)
softmax_block(const float* __restrict__ x, float* __restrict__ y, unsigned items, unsigned columns)
{
    __shared__ float largests[WARPS], sums[WARPS];
    const float* from = x + (size_t)blockIdx.x * columns;
    float* to = y + (size_t)blockIdx.x * columns;
    if (columns % 4 == 0 && columns <= 4 * FOURS * THREADS)
        held(from, to, columns, largests, sums);
    else
        read_thrice(from, to, columns, largests, sums);
}
