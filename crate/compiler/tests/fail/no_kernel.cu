__device__ float f(float x) { return x; }
