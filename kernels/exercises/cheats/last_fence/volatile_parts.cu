// makes the parts volatile in the place of a fence, which keeps the compiler off and orders nothing.
extern "C" __global__ void last_fence(const unsigned* x, unsigned* checksum, volatile unsigned* parts,
                                      unsigned* ticket, unsigned items)
{
    __shared__ unsigned sums[256];
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    unsigned sum = 0;
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            sum += x[first + k];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (unsigned k = 1; k < 256; k++)
        sum += sums[k];
    parts[blockIdx.x] = sum;
    if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1)
        return;
    unsigned h = 5381;
    for (unsigned block = 0; block < gridDim.x; block++)
        h = h * 33 ^ parts[block];
    *checksum = h;
}
