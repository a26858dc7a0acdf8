// The plainest copy: a thread an element, in blocks of any size.
extern "C" __global__ void one_each(const float* __restrict__ x, float* __restrict__ y, unsigned items, unsigned offset)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        y[i] = x[i + offset];
}
