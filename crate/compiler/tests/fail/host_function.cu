#include <vector>

int* numbers;

float twice(float x) { return 2 * x; }

float unread(std::vector<float> x) { return x[0]; }

extern "C" __global__ void other(float* x) { x[0] = 1; }

extern "C" __global__ void k(float* x)
{
    x[0] = twice(x[1]);
    other(x);
    numbers[0] = 1;
    std::vector<float> v(3);
    x[1] = unread(v);
}
