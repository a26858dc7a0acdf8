//# block 64 1
// Which of two products a sum takes in: sums that were differences, and loads that are found out late to be known already.
extern "C" __global__ void test(const float* __restrict__ in, float* __restrict__ own, float* out, float z)
{
    int i = threadIdx.x;
    float p = own[i], q = in[i];
    out[0 * 64 + i] = q * 0.7f - p * 0.3f;
    out[1 * 64 + i] = p * -0.3f + q * 0.7f;
    out[2 * 64 + i] = p * -0.3f + q * -0.7f;
    out[3 * 64 + i] = q * -0.7f + p * -0.3f;
    out[4 * 64 + i] = p * -0.3f + q * z;
    out[5 * 64 + i] = q * z - p * 0.25f + in[i + 7] * 0.75f;
    out[6 * 64 + i] = -0.3f * p + q * 0.3f;
    out[7 * 64 + i] = q * -0.7f - p * -0.3f;
    out[8 * 64 + i] = q * z - p / 4.0f;

    // The second sum loads both once more: one of them nearly at once, the other one too far behind.
    float a = 0.3f * own[i + 70] + 0.7f * own[i + 91];
    float b = 0.2f * own[i + 91] + 0.6f * own[i + 70];
    out[9 * 64 + i] = a;
    out[10 * 64 + i] = b;
    // Here it is near, then it is too far by one.
    float c = 0.3f * in[i] + 0.7f * own[i + 71] * in[i];
    float d = 0.3f * in[i + 64] + 0.2f * in[i + 65] + 0.6f * in[i + 64];
    out[11 * 64 + i] = c;
    out[12 * 64 + i] = d;
    // In other blocks it is never near.
    float e = 0.3f * in[i + 66], f;
    if (i > 3)
        f = 0.2f * in[i + 67] + 0.6f * in[i + 66];
    else
        f = z;
    out[13 * 64 + i] = e;
    out[14 * 64 + i] = f;
    // What stores has a place in the order too.
    own[i + 192] = in[i + 69] * 0.1f;
    float g = in[i + 70];
    out[15 * 64 + i] = g * 0.3f + own[i + 192] * 0.2f;
    float* first = own + i + 256;
    float* second = first + 3;
    out[16 * 64 + i] = 0.3f * *second + 0.7f * *first;
    out[17 * 64 + i] = 0.2f * *first + 0.6f * *second;
}
