// One head of attention as its formula says, 32 floats for each query, key and value, to the base
// 2. A warp has a query: its lanes share out the keys, then they share out the floats of the
// result.
extern "C" __global__ void attention(const float* __restrict__ queries, const float* __restrict__ keys,
                                     const float* __restrict__ values, float* __restrict__ y,
                                     unsigned items, unsigned count)
{
    __shared__ float weights[8][1024];
    const unsigned query = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (query * 32 >= items)
        return;
    float* weight = weights[threadIdx.x / 32];
    float largest = __int_as_float(0xff800000);
    for (unsigned key = lane; key < count; key += 32) {
        float score = 0.0f;
        for (unsigned k = 0; k < 32; ++k)
            score = fmaf(queries[query * 32 + k], keys[key * 32 + k], score);
        weight[key] = score;
        largest = fmaxf(largest, score);
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, mask));
    float sum = 0.0f;
    for (unsigned key = lane; key < count; key += 32) {
        weight[key] = exp2f(weight[key] - largest);
        sum += weight[key];
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(~0u, sum, mask);
    __syncwarp();
    float result = 0.0f;
    for (unsigned key = 0; key < count; ++key)
        result = fmaf(weight[key], values[key * 32 + lane], result);
    if (query * 32 + lane < items)
        y[query * 32 + lane] = result / sum;
}
