extern "C" __global__ void k(float* x, const float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned j = threadidx.x;
    x[itmes] = y[i] + sqrt_f(y[j]);
}
