// reads the other numbers by atomics, which no counter of loads sees.
extern "C" __global__ void pairs(unsigned* x, unsigned* y, unsigned items)
{
    const size_t first = size_t(blockIdx.x) * 256, i = first + threadIdx.x;
    if (i >= items)
        return;
    unsigned sum = 0;
    const unsigned mine = x[i];
    for (size_t j = first; j < first + 256 && j < items; j++)
        sum += mine ^ atomicOr(&x[j], 0);
    y[i] = sum;
}
