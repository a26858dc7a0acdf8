// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: uninitialized
__global__ void f(const int* a, int* o) { int v; if (a[threadIdx.x] > 5) v = 3; o[threadIdx.x] = v; } //!
