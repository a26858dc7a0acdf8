// How many steps from each number to 1: halve what is even, go from an odd n to 3 n + 1.
extern "C" __global__ void steps(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    unsigned n = x[i], taken = 0;
    while (n != 1) {
        n = n % 2 == 1 ? 3 * n + 1 : n / 2;
        ++taken;
    }
    y[i] = taken;
}
