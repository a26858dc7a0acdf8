// Two branches of one operation each, and groups of `period` threads that take them in turns.
extern "C" __global__ void branch_light(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                        unsigned items, unsigned period)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    unsigned found = x[i];
    if (i / period % 2 == 0)
        found *= 3;
    else
        found ^= 21930;
    y[i] = found;
}
