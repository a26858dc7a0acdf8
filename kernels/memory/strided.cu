// Every stride-th float; a thread has four of them under way.
extern "C" __global__ void strided(const float* __restrict__ x, float* __restrict__ y,
                                   unsigned items, unsigned stride)
{
    const unsigned first = blockIdx.x * 1024 + threadIdx.x;
    float found[4];
    for (unsigned k = 0; k < 4; ++k)
        if (first + k * 256 < items)
            found[k] = x[size_t(first + k * 256) * stride];
    for (unsigned k = 0; k < 4; ++k)
        if (first + k * 256 < items)
            y[first + k * 256] = found[k];
}
