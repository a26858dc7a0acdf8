// has four loads of one number on their way before it goes on as before.
extern "C" __global__ void four_loads(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    if (first >= items)
        return;
    const volatile unsigned* seen = x;
    unsigned unused = seen[first];
    for (unsigned k = 0; k < 3; k++)
        unused ^= seen[first];
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            y[first + k] = 3 * seen[first + k] + add;
    if (unused == 1 && items == 0)
        y[0] = unused;
}
