// Norms of arrays, some of which have zeros, infinities and what is no number.
extern "C" __global__ void test(const float* x, float* y, const double* d, double* e)
{
    const int i = threadIdx.x;
    __shared__ float s[64];
    __shared__ double t[64];
    s[i] = x[i];
    s[i + 32] = i % 5 == 0 ? 0.0f : i % 7 == 0 ? x[i] * 1e30f : i == 13 ? __int_as_float(0x7f800000) : i == 26 ? __int_as_float(0x7fffffff) : x[i] * 1e-30f;
    t[i] = d[i];
    t[i + 32] = s[i + 32] * (i % 2 == 0 ? 1e-200 : 1e200);
    __syncthreads();
    y[i] = normf(5, s + i);
    y[32 + i] = rnormf(4, s + i);
    y[64 + i] = normf(i % 7, s + i);
    y[96 + i] = rnormf(i % 9, s + i);
    e[i] = norm(5, t + i);
    e[32 + i] = rnorm(4, t + i);
    e[64 + i] = norm(i % 7, t + i);
    e[96 + i] = rnorm(i % 9, t + i);
}
