// launch: --grid 1 --block 16 --arg i32[16]=zero
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void fibs(int* out) { out[threadIdx.x] = fib(threadIdx.x % 10); }
