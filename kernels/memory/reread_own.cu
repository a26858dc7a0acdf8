// Each block reads a part of its own over and over, 16 bytes a thread at a
// time, by way of L1. A thread has four loads under way.
extern "C" __global__ void reread_own(const uint4* __restrict__ x, unsigned* __restrict__ y,
                                      unsigned items, unsigned pieces)
{
    const unsigned thread = blockIdx.x * 1024 + threadIdx.x;
    if (thread >= items)
        return;
    const uint4* const own = x + size_t(blockIdx.x) * pieces;
    const unsigned step = 1024 % pieces;
    unsigned place = threadIdx.x % pieces;
    unsigned sum = 0;
    for (unsigned k = 0; k < 256; k += 4) {
        uint4 found[4];
        for (unsigned j = 0; j < 4; ++j) {
            found[j] = own[place];
            place += step;
            if (place >= pieces) place -= pieces;
        }
        for (unsigned j = 0; j < 4; ++j)
            sum += found[j].x + found[j].y + found[j].z + found[j].w;
    }
    y[thread] = sum;
}
