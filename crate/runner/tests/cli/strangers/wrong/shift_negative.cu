// launch: --grid 1 --block 32 --arg i32[32]=zero
// finds: endless_loop
__device__ int bits(int v) { int n = 0; while (v != 0) { n += v & 1; v >>= 1; } return n; } //!
__global__ void popcount(int* out) { out[threadIdx.x] = bits((int)threadIdx.x - 4); } //!
