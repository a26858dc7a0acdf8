// The same, and the stream says that it is one: what is loaded by __ldcs is thrown
// out first.
extern "C" __global__ void lookup_streamed(const uint4* __restrict__ x,
                                           const uint4* __restrict__ table,
                                           unsigned* __restrict__ y, unsigned items, unsigned pieces)
{
    const unsigned thread = blockIdx.x * 256 + threadIdx.x;
    if (thread >= items)
        return;
    const unsigned step = items % pieces;
    unsigned place = thread % pieces;
    unsigned sum = 0;
    for (unsigned k = 0; k < 64; k += 4) {
        uint4 a[4], b[4];
        for (unsigned j = 0; j < 4; ++j) {
            a[j] = __ldcs(&x[thread + size_t(k + j) * items]);
            b[j] = __ldcg(&table[place]);
            place += step;
            if (place >= pieces) place -= pieces;
        }
        for (unsigned j = 0; j < 4; ++j)
            sum += (a[j].x ^ b[j].x) + (a[j].y ^ b[j].y) + (a[j].z ^ b[j].z) + (a[j].w ^ b[j].w);
    }
    y[thread] = sum;
}
