// reads every number by atomics, which no counter of loads sees.
extern "C" __global__ void window(unsigned* x, unsigned* y, unsigned items, unsigned radius)
{
    const long long i = (long long)(blockIdx.x) * 256 + threadIdx.x, r = radius;
    if (i >= items)
        return;
    unsigned sum = 0;
    for (long long j = i - r; j <= i + r; j++)
        if (0 <= j && j < items)
            sum += atomicOr(&x[j], 0);
    y[i] = sum;
}
