// How sums are ordered in loops that are unrolled, and which products they take in: NVRTC finds that out while the loops are
// loops, and their arrays are in memory.
//# block 64 1
extern "C" __global__ void test(const float* in, float* out, float z)
{
    const int i = threadIdx.x;
    float v[8], s = 1.0f, t = z;
    for (int k = 0; k < 8; k++)
        v[k] = in[8 * i + k];
    // Elements are loaded where they are used.
    out[0 * 64 + i] = (v[0] - v[7]) * 0.49f + (v[1] - v[6]) * 0.41f + (v[2] - v[5]) * 0.27f;
    out[1 * 64 + i] = (v[3] - v[2]) * 0.3f + (v[0] - v[1]) * 0.5f;
    // What the loop carries is behind what was there before, also in the first iteration, and before what it loads.
    for (int k = 0; k < 4; k++)
        s = 0.9f * s + (1 - 0.9f) * z;
    for (int k = 0; k < 4; k++)
        t = (v[k] * z + t * v[7 - k]) + t * (z + z);
    out[2 * 64 + i] = s;
    out[3 * 64 + i] = t;
    // What follows from the loop's variable is no constant yet.
    for (int k = 0; k < 3; k++) {
        const float x = 0.5f - 0.5f * k, y = -0.1f * k;
        s = x * v[4] + y * v[5];
        t = t * (0.3f + z) + (0.25f * k + z) * 0.7f;
        out[(4 + k) * 64 + i] = s;
    }
    out[7 * 64 + i] = t;
    // What is negated deeper in a product, constants that are needed more than once, and products that several sums need.
    const float a = v[0], b = v[1], c = v[2], d = v[3];
    out[8 * 64 + i] = a - c * (-b / d);
    out[9 * 64 + i] = d * a + c * (-b / z);
    out[10 * 64 + i] = -b - (c * 0.7f) * d;
    out[11 * 64 + i] = (0.55f + d) - 0.55f * c;
    out[12 * 64 + i] = a * -0.35f;
    out[13 * 64 + i] = d - 0.35f * c;
    out[14 * 64 + i] = c + d * b;
    out[15 * 64 + i] = a * b + d * b;
    out[16 * 64 + i] = a * 0.15f * 2.0f;
    out[17 * 64 + i] = d + a * c;
    out[18 * 64 + i] = a * c + a * c;
}
