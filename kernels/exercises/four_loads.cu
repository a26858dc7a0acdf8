// y[i] = 3 * x[i] + add, modulo 2^32.
//
// x, y: items numbers. Block 256; it covers 1024 items, four a thread.

//@ starter
// TODO The result is right. But for all that the compiler knows, y may lie where x does: it
// must not load an element before it has stored the one before. So each thread has one
// load on its way at a time, and waits for it four times. Have all four on their way first.
extern "C" __global__ void four_loads(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    for (unsigned k = 0; k < 4; k++) {
        const size_t i = first + k * 256;
        if (i < items)
            y[i] = 3 * x[i] + add;
    }
}
//@ solution
extern "C" __global__ void four_loads(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    unsigned found[4];

    // None of the four needs what another one brings.
    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        if (first + k * 256 < items)
            found[k] = x[first + k * 256];

    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        if (first + k * 256 < items)
            y[first + k * 256] = 3 * found[k] + add;
}
//@ neighbours
extern "C" __global__ void four_loads(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x * 4;
    unsigned found[4];
    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        if (first + k < items)
            found[k] = x[first + k];
    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        if (first + k < items)
            y[first + k] = 3 * found[k] + add;
}
//@ in_pairs
extern "C" __global__ void four_loads(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    #pragma unroll
    for (unsigned k = 0; k < 4; k += 2) {
        const size_t i = first + k * 256, j = i + 256;
        unsigned a, b;
        if (i < items)
            a = x[i];
        if (j < items)
            b = x[j];
        if (i < items)
            y[i] = 3 * a + add;
        if (j < items)
            y[j] = 3 * b + add;
    }
}
//@ unrolled
extern "C" __global__ void four_loads(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        if (first + k * 256 < items)
            y[first + k * 256] = 3 * x[first + k * 256] + add;
}
//@ no_guard
extern "C" __global__ void four_loads(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    unsigned found[4];
    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        found[k] = x[first + k * 256];
    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        y[first + k * 256] = 3 * found[k] + add;
}
//@ end
