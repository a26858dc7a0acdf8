// launch: --grid 1 --block 32 --arg i32[32]=zero
// finds: endless_loop
__device__ int gcd(int a, int b) { while (a != b) { if (a > b) a -= b; else b -= a; } return a; } //!
__global__ void gcds(int* out) { out[threadIdx.x] = gcd(12, threadIdx.x); } //!
