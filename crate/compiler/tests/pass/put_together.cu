//# block 64 1
// What was taken apart is one place again.
extern "C" __global__ void test(const float* in, const float* other, float* out, int items)
{
    int i = threadIdx.x, n = items / 16 + 3;
    int row = i / n, column = i % n;
    float s = in[i] * in[row * n + column] + other[row * n + column + 1];
    int third = i / 24, rest = i - third * 24;
    s += other[third * 24 + rest] - other[i];
    unsigned u = threadIdx.x, tile = u / 8, lane = u % 8;
    s = s + in[tile * 8 + lane] + in[u];
    int p = __float_as_int(other[i]) & 7;
    out[i] = s + in[(i - p) + p];
    // -x * 3 is x * -3.
    float x = in[i], y = other[i];
    out[64 + i] = -x / 3 + y * -1.0f;
    out[128 + i] = -x * 5 + y * 7;
}
