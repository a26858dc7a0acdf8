float twice(float x) { return 2 * x; }

extern "C" __global__ void other(float* x) { x[0] = 1; }

extern "C" __global__ void k(float* x)
{
    x[0] = twice(x[1]);
    other(x);
}
