struct Base { int a; };
struct Derived : Base { int b; };

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

extern "C" __global__ void k(float* x)
{
    x[0] = asinhf(x[1]);
    x[1] = factorial(5);
    goto end;
    x[2] = new float[3];
}
