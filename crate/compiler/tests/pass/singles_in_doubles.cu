// What is computed of two floats in `double` and rounded again is computed in `float`, and fused as such.
extern "C" __global__ void test(const float* in, float* out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    const double a = in[t], b = in[t + 1], c = in[t + 2];
    out[4 * t] = (float)(a * b) + in[t + 2];
    out[4 * t + 1] = (float)(a + 0.5) * in[t + 3] - (float)(b - c);
    out[4 * t + 2] = (float)(a / c) + (float)(a * b + c);
    out[4 * t + 3] = in[t] * 2.0 + (float)(b * 0.1);
}
