//# block 64 1
// Functions that branch, or end with a product, in sums.
__device__ float sigmoid(float x) { return 1 / (1 + expf(-x)); }
extern "C" __global__ void test(const float* in, const float* other, float* out, int items)
{
    int i = threadIdx.x;
    float a = in[i], b = other[i], c = in[i + 64], d = other[i + 64];
    switch (blockIdx.x % 4) {
    case 0:
        out[i] = a * b + logf(c);
        break;
    case 1:
        out[i] = log10f(c) * d + a * b;
        break;
    case 2:
        out[i] = d - a * log2f(b);
        break;
    default:
        out[i] = sigmoid(a) * b + c;
    }
    out[64 + i] = a * sinpif(b) + d * d;
    out[128 + i] = exp10f(a * 0.1f) - 1;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        float x = in[i + k * 16], y = other[i + k * 16];
        if (x > 0.25f)
            sum += x * logf(y * y + 1) - y * 0.3f;
    }
    out[192 + i] = sum;
}
