// Two that call each other, and one with pointers.
__device__ bool is_odd(int n);
__device__ bool is_even(int n) { return n == 0 ? true : is_odd(n - 1); }
__device__ bool is_odd(int n) { return n == 0 ? false : is_even(n - 1); }
struct Node { int left, right; float v; };
__device__ float sum(const float* v, int node, int n) { if (node >= n) return 0.f; return v[node] + sum(v, 2 * node + 1, n) + sum(v, 2 * node + 2, n); }
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum(in, i, 40) + is_even(i % 7);
}
