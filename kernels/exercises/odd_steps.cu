// A copy in another order: within each whole piece of 256, y[i] = x[(i * step) % 256].
//
// x, y: items numbers; step is odd. What is left after the last whole piece stays in its
// place. Block 256; it covers a piece.

extern "C" __global__ void odd_steps(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                     unsigned items, unsigned step)
{
    const size_t first = size_t(blockIdx.x) * 256;
    const size_t i = first + threadIdx.x;
    const bool whole = first + 256 <= items;

//@ starter
    // TODO Each load of a warp goes in steps through global memory, and touches nearly a
    // sector for every lane. Load what lies side by side, and change the order elsewhere.
    if (i < items)
        y[i] = whole ? x[first + threadIdx.x * step % 256] : x[i];
//@ solution
    __shared__ unsigned piece[256];
    if (i < items)
        piece[threadIdx.x] = x[i];
    __syncthreads();

    // An odd step leads through all banks: 32 lanes meet 32 of them.
    if (i < items)
        y[i] = piece[whole ? threadIdx.x * step % 256 : threadIdx.x];
//@ scattered_stores
    // The number whose place in y is j comes from i: i = j * step, so j = i / step, modulo 256.
    unsigned inverse = 1;
    for (unsigned k = 0; k < 7; k++)
        inverse *= 2 - step * inverse;
    if (i < items)
        y[whole ? first + threadIdx.x * inverse % 256 : i] = x[i];
//@ no_barrier
    __shared__ unsigned piece[256];
    if (i < items)
        piece[threadIdx.x] = x[i];
    if (i < items)
        y[i] = piece[whole ? threadIdx.x * step % 256 : threadIdx.x];
//@ rest_too
    __shared__ unsigned piece[256];
    if (i < items)
        piece[threadIdx.x] = x[i];
    __syncthreads();
    if (i < items)
        y[i] = piece[threadIdx.x * step % 256];
//@ padded
    __shared__ unsigned piece[256 * 32];
    if (i < items)
        piece[threadIdx.x * 32] = x[i];
    __syncthreads();
    if (i < items)
        y[i] = piece[(whole ? threadIdx.x * step % 256 : threadIdx.x) * 32];
//@ inverse
    // The number that is taken from place j of x goes to place j / step, modulo 256.
    __shared__ unsigned piece[256];
    unsigned inverse = 1;
    for (unsigned k = 0; k < 7; k++)
        inverse *= 2 - step * inverse;
    if (i < items)
        piece[whole ? threadIdx.x * inverse % 256 : threadIdx.x] = x[i];
    __syncthreads();
    if (i < items)
        y[i] = piece[threadIdx.x];
//@ end
}
