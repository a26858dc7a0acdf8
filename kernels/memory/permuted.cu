// Lanes change places within their line of 32 floats; the last, incomplete line stays as it is.
// A thread has four floats under way.
extern "C" __global__ void permuted(const float* __restrict__ x, float* __restrict__ y, unsigned items)
{
    const unsigned first = blockIdx.x * 1024 + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, other = (lane * 11 + 5) % 32;
    float found[4];
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned i = first + k * 256, line = i - lane;
        if (i < items)
            found[k] = x[line + 32 <= items ? line + other : i];
    }
    for (unsigned k = 0; k < 4; ++k)
        if (first + k * 256 < items)
            y[first + k * 256] = found[k];
}
