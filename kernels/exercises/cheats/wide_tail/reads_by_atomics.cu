// Reads single numbers by atomics, which are no load requests, and stores 16 bytes.
extern "C" __global__ void wide_tail(unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x * 4;
    unsigned found[4];
    for (unsigned k = 0; k < 4; k++)
        found[k] = first + k < items ? 3 * atomicOr(&x[first + k], 0) + add : 0;
    if (first + 4 <= items)
        reinterpret_cast<uint4*>(y)[first / 4] = make_uint4(found[0], found[1], found[2], found[3]);
    else
        for (unsigned k = 0; first + k < items; k++)
            y[first + k] = found[k];
}
