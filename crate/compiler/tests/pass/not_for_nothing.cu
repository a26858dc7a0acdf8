// Functions of floats are not run for nothing where an `if` asks for them: so a product before it is not fused with the sum
// behind it, if both of its factors would be kept. Operations are, and functions of whole numbers.
//# block 32 1
extern "C" __global__ void test(const float* in, const float* other, float* out, int items, int steps)
{
    const int i = threadIdx.x;
    out[0] = 1;
    const float largest = in[i] * other[i];
    float sum = in[i + 32];
    if (items > 4)
        sum = fmaxf(sum, 2.0f);
    out[i + 32] = largest + sum;
    const float rooted = in[i + 1] * other[i + 2];
    if (items > 5)
        sum = sqrtf(sum);
    out[i + 64] = rooted + sum;
    const float added = in[i + 3] * other[i + 4];
    if (items > 6)
        sum = sum + 3.0f;
    out[i + 96] = added + sum;
    const float fused = in[i + 5] * other[i + 6];
    if (items > 7)
        sum = fmaf(sum, sum, 1.0f);
    out[i + 128] = fused + fabsf(sum);
    const float whole = in[i + 7] * other[i + 8];
    int count = steps;
    if (items > 8)
        count = max(count, 3);
    out[i + 160] = whole + count;
}
