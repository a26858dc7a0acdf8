extern "C" __global__ void k(float* x, const float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        x[i] = y[i]
}
