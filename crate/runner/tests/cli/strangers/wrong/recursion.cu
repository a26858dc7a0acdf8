// launch: --grid 1 --block 1 --arg i32[1]=zero --arg i32=5
// finds: limit,endless_loop
__device__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 2) * 2; } //!
__global__ void run(int* out, int n) { *out = depth(n); } //!
