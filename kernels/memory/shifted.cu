// The floats from the one at `offset` on; a thread has four of them under way.
extern "C" __global__ void shifted(const float* __restrict__ x, float* __restrict__ y,
                                   unsigned items, unsigned offset)
{
    const unsigned first = blockIdx.x * 1024 + threadIdx.x;
    float found[4];
    for (unsigned k = 0; k < 4; ++k)
        if (first + k * 256 < items)
            found[k] = x[size_t(first + k * 256) + offset];
    for (unsigned k = 0; k < 4; ++k)
        if (first + k * 256 < items)
            y[first + k * 256] = found[k];
}
