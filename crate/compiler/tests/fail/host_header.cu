#include <curand_mtgp32_kernel.h>

extern "C" __global__ void k(float* x) { x[0] = 1; }
