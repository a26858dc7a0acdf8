extern "C" __global__ void k(float* x, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        x[i] = 
