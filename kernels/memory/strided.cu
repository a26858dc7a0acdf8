// Every stride-th float.
extern "C" __global__ void strided(const float* __restrict__ x, float* __restrict__ y,
                                   unsigned items, unsigned stride)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        y[i] = x[size_t(i) * stride];
}
