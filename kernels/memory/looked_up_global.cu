// The same table in global memory, read through L1.
extern "C" __global__ void looked_up_global(const float* __restrict__ table, const unsigned char* __restrict__ x,
                                            float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        y[i] = table[x[i]];
}
