// Accesses behind one address: an index that is a multiple of a power of two and something below that, in branches and loops, and
// sums that wrap around.
//# block 64
extern "C" __global__ void test(const float* __restrict__ in, float* __restrict__ out, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned four = (i ^ (i & ~15u)) * 4;
    float sum = in[four] + in[four + 1] * in[four + 2] + in[four | 3] + in[four + 5];
    if (four + 2 < items)
        sum += in[four + 2];
    if (i % 3 == 0)
        sum -= in[i % 7 * 12 + 3] + in[i % 7 * 12 + 4];
    // These begin anew at 0: a constant of 4 and more is not part of the address.
    const unsigned last = (0x3fffffffu + (i ^ (i & ~7u))) * 4;
    if (i % 8 == 0)
        sum += in[last + 4] + in[last + 5] + in[last + 7];
    // What several branches have in common.
    const float* row = in + i / 32;
    const unsigned lane = threadIdx.x % 4;
    sum += lane;
    if (i % 5 < 3)
        sum += row[lane];
    if (i % 5 > 1)
        sum *= row[lane + 4];
    if (i % 7 == 2)
        sum -= row[lane + 8];
    for (unsigned k = i; k < items; k += 24)
        sum += in[k % 8 * 8] - in[k % 8 * 8 + 7];
    if (i < items)
        out[i] = sum;
}
