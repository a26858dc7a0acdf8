// reads the row once, and parks it in y, from where it reads it again.
extern "C" __global__ void softmax_once(const float* x, float* y, unsigned items, unsigned columns)
{
    const unsigned row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= items)
        return;
    const float* from = x + size_t(row) * columns;
    volatile float* to = y + size_t(row) * columns;
    float largest = __int_as_float(0xff800000);
    for (unsigned k = lane; k < columns; k += 32) {
        const float element = from[k];
        to[k] = element;
        largest = fmaxf(largest, element);
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
    float sum = 0.0f;
    for (unsigned k = lane; k < columns; k += 32)
        sum += exp2f(to[k] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    for (unsigned k = lane; k < columns; k += 32)
        to[k] = exp2f(to[k] - largest) / sum;
}
