__device__ int no_value(int a) { if (a) return 1; }
__device__ void value() { return 3; }
extern "C" __global__ int k(float* x) { return 1; }
extern "C" __global__ void l(float* x) { x[0] = no_value(x[1]); value(); break; }
