// Declarations in conditions.
__device__ int find(const int* p, int n, int key) { for (int i = 0; i < n; i++) if (p[i] == key) return i; return -1; }
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (int at = find(in, 9, in[i] % 10); at >= 0) out[i] = at; else out[i] = -at * 100;
  if (int v = in[i] & 3) out[i] += v;
  switch (int k = in[i] % 3; k) { case 0: out[i]++; break; case 1: case 2: out[i] += 5; }
  while (int left = out[i] & 8) { out[i] -= left; }
}
