extern "C" __global__ void k(float* x, const float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i = 0)
        x[i] = y[i];
    x[i] == 0;
    y[i] = 3;
}
