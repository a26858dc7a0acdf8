// Three steps, each of which reads all elements and writes all elements, and the three in one kernel.
extern "C" __global__ void scale(const float* __restrict__ x, float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < items)
        y[i] = x[i] * 0.5f;
}

extern "C" __global__ void offset(const float* __restrict__ x, float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < items)
        y[i] = x[i] + 0.25f;
}

extern "C" __global__ void clamp(const float* __restrict__ x, float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < items)
        y[i] = fminf(fmaxf(x[i], -200000.0f), 200000.0f);
}

extern "C" __global__ void scale_offset_clamp(const float* __restrict__ x, float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < items)
        y[i] = fminf(fmaxf(x[i] * 0.5f + 0.25f, -200000.0f), 200000.0f);
}
