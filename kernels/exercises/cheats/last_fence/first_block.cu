// lets the first block make the checksum by itself, so that nobody waits for anybody.
extern "C" __global__ void last_fence(const unsigned* x, unsigned* checksum, unsigned* parts, unsigned* ticket,
                                      unsigned items)
{
    if (threadIdx.x != 0)
        return;
    atomicInc(ticket, gridDim.x - 1);
    if (blockIdx.x != 0)
        return;
    unsigned h = 5381;
    for (size_t first = 0; first < items; first += 1024) {
        unsigned sum = 0;
        for (unsigned k = 0; k < 1024 && first + k < items; k++)
            sum += x[first + k];
        h = h * 33 ^ sum;
    }
    *checksum = h;
}
