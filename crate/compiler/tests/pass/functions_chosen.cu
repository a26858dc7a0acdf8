// Tables of functions, and functions that are chosen while the kernel runs.
typedef float (*Op)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float mul(float a, float b) { return a * b; }
__device__ float sub(float a, float b) { return a - b; }
__device__ Op table[3] = {add, mul, sub};
__constant__ Op table2[2] = {mul, sub};
__device__ Op chosen = sub;
extern "C" __global__ void test(const float* x, float* y, unsigned items)
{
    unsigned i = threadIdx.x;
    Op f = table[i % 3];
    Op g = i & 1 ? add : mul;
    Op local[2] = {add, sub};
    float r = f(x[i], x[i + 1]) + g(x[i], 3.0f) + table2[i % 2](x[i], 2.0f) + chosen(x[i], x[i + 2]) + local[(i >> 1) & 1](x[i], 5.0f);
    if (f == mul) r += 100;
    y[i] = r;
}
