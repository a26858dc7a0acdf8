// Products before a branch whose ways join again, and sums behind: which products move there, and are fused, hangs on how
// many values are kept over the branch.
//# block 32 1
extern "C" __global__ void test(const float* in, const float* other, const float* more, float* out, int items, int steps)
{
    const int i = threadIdx.x;
    const float half = items + 0.5f;
    // With `half` as many values are kept as before, up to the first join, where that goes on alone.
    const float product = in[i] * other[i];
    // One for one: it goes to the last join.
    const float scaled = more[i] * 1.5f;
    float sum = 1;
    if (i < items) {
        out[256] = 1;
        sum = 2;
    }
    if (steps < 2) {
        __syncthreads();
        sum *= 7;
    }
    out[i] = product + sum;
    out[i + 32] = half + sum + scaled;
    // A whole loop stands between.
    if (items < 3)
        return;
    const float third = other[i + 32] * 0.3f;
    for (int step = 0; step < (steps & 7); step++)
        sum = sum * 0.5f + in[i + step];
    out[i + 64] = third + sum;
    // Wanted on two ways: it stays.
    const float twice = in[i + 64] * 0.7f;
    if (sum > 3)
        out[i + 96] = twice + sum;
    else
        out[i + 128] = twice + 2 * sum;
}
