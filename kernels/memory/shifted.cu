// The floats from the one at `offset` on.
extern "C" __global__ void shifted(const float* __restrict__ x, float* __restrict__ y,
                                   unsigned items, unsigned offset)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        y[i] = x[size_t(i) + offset];
}
