// The softmax of rows to the base 2, a warp for each row: the largest element and the sum go round by shuffles, and the
// row is read three times.
extern "C" __global__ void softmax_warp(const float* __restrict__ x, float* __restrict__ y, unsigned items,
                                        unsigned columns)
{
    const unsigned row = (blockIdx.x * 256 + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;
    if (row >= items)
        return;
    const float* from = x + (size_t)row * columns;
    float* to = y + (size_t)row * columns;
    float largest = __int_as_float(0xff800000);
    for (unsigned column = lane; column < columns; column += 32)
        largest = fmaxf(largest, from[column]);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, mask));
    float sum = 0.0f;
    for (unsigned column = lane; column < columns; column += 32)
        sum += exp2f(from[column] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(~0u, sum, mask);
    for (unsigned column = lane; column < columns; column += 32)
        to[column] = exp2f(from[column] - largest) / sum;
}
