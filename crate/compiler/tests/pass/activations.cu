//# block 64
// Two choices by one condition: each is chosen before the conditions become one.
extern "C" __global__ void test(const float* in, const float* other, float* out, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items) return;
    float x = in[i];
    float t = 0.7978845608f * (x + 0.044715f * x * x * x);
    float g = 0.5f * x * (1 + tanhf(t));
    float e = 0.5f * x * (1 + erff(x * 0.70710678f));
    float s = x / (1 + expf(-x));
    float l = x > 0 ? x : 0.01f * x;
    float el = x > 0 ? x : 0.5f * (expf(x) - 1);
    out[i] = g + e * other[i] + s * l + el;
}
