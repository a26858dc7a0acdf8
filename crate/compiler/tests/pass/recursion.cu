// Functions that call themselves.
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ unsigned gcd(unsigned a, unsigned b) { return b == 0 ? a : gcd(b, a % b); }
extern "C" __global__ void test(const unsigned* in, unsigned* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fib(in[i] % 8) + gcd(in[i], in[i + 1]);
}
