template <typename T> __global__ void k(T* x)
{
    x[0] = 1;
}
