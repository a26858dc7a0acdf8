// All threads together read an array in a ring, over and over, 16 bytes each at
// a time, past L1 (ld.global.cg). A thread has eight loads under way.
extern "C" __global__ void reread(const uint4* __restrict__ x, unsigned* __restrict__ y,
                                  unsigned items, unsigned pieces)
{
    const unsigned thread = blockIdx.x * 256 + threadIdx.x;
    if (thread >= items)
        return;
    const unsigned step = items % pieces;
    unsigned place = thread % pieces;
    unsigned sum = 0;
    for (unsigned k = 0; k < 128; k += 8) {
        uint4 found[8];
        for (unsigned j = 0; j < 8; ++j) {
            found[j] = __ldcg(&x[place]);
            place += step;
            if (place >= pieces) place -= pieces;
        }
        for (unsigned j = 0; j < 8; ++j)
            sum += found[j].x + found[j].y + found[j].z + found[j].w;
    }
    y[thread] = sum;
}
