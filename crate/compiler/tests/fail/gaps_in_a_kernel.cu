struct Base { virtual int f() { return 1; } };
struct Flags { unsigned a : 3; };

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

extern "C" __global__ void k(float* x)
{
    Base base;
    x[0] = asinhf(x[1]) + base.f();
    x[1] = factorial(5);
    goto end;
    x[2] = new float[3];
}
