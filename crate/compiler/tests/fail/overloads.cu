__device__ void f(int a, float b) {}
__device__ void g(int& a) {}
__device__ void h(unsigned a) {}
__device__ void h(float a) {}
template <typename T> __device__ void both(T a, T b) {}

extern "C" __global__ void k(float* x)
{
    f(1);
    f(x, 2);
    g(3);
    h(1.0);
    both(1, 2.0f);
}
