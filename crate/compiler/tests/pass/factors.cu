// Products with a constant in sums and differences: which of them are rounded once.
//# block 64 1
extern "C" __global__ void test(const float* in, const double* doubles, float* out, double* more, int items, int steps)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    const float a = in[i], b = in[i + 1], c = in[i + 2];
    float* to = out + 20 * i;
    to[0] = b - 6.2f * a;
    to[1] = -6.3f * a + b;
    to[2] = 6.4f * a - b;
    to[3] = b - a * c;
    to[4] = a - 2.0f * b + c;
    to[5] = a - b / 4.0f;
    to[6] = c - 2.7f * a * b;
    to[7] = -6.1f * a + b + c + in[i + 3];
    const float t = 2.5f * b;
    to[8] = a - t;
    to[9] = t;
    more[i] = doubles[i] - 2.3 * doubles[i + 1];
    for (int k = 0; k < 4; ++k) {
        to[10 + k] = in[i + k] - 2.3f * in[k];
        __syncthreads();
    }
    float rest = a;
    while (steps > 3) {
        rest = rest - 2.3f * in[steps];
        steps /= 2;
    }
    to[18] = rest;
}
