//# block 32 3
// Functions of the library that are computed once, and which products sums take in beside them.
extern "C" __global__ void test(const double* __restrict__ angles, const float* __restrict__ sizes, double* wide, float* out)
{
    int i = threadIdx.y * 32 + threadIdx.x;
    double a = angles[i] * 0.01, b = angles[i + 5] * 0.02;
    double of_a = sin(a) * sin(a);
    double of_b = sin(b) * sin(b);
    wide[i] = of_a + of_b * angles[i + 9];
    wide[i + 96] = exp(-a * a) + exp(-a * a) * b;

    float x = sizes[i], y = sizes[i + 7], s, c;
    sincosf(x * y, &s, &c);
    out[i] = c * x + s * y;
}
