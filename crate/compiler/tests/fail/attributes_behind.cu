// Where the bounds of a launch stand, and a template's bracket.
extern "C" __global__ void k(int* x) __launch_bounds__(256)
{
    x[0] = 1;
}
template <typename T __global__ void fill(T* x)
{
    x[0] = 1;
}
