// out[i] is the sum of in[i] to in[i + width − 1], each read from global memory by every thread that wants it.
extern "C" __global__ void window_global(const float* __restrict__ in, float* __restrict__ out, unsigned items,
                                         unsigned width)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= items)
        return;
    float sum = 0.0f;
    for (unsigned k = 0; k < width; ++k)
        sum += in[i + k];
    out[i] = sum;
}
