//# block 64
// What a loop loads for its condition is not loaded again when it goes on, nor what is asked twice.
__device__ int root(const int* parent, int x) { while (parent[x] != x) x = parent[x]; return x; }
extern "C" __global__ void test(const int* in, float* v, int* out, int items) {
  __shared__ int parent[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = 0, at = t;
  parent[t] = t & in[i];
  __syncthreads();
  int r = root(parent, t);
  while (in[at] > 300 && n < 9000) { n += in[at]; at = at + 3; }
  out[i] = r * 10000 + n;
  int other = i ^ 4;
  if (other > i) {
    if ((i & 16) == 0) { if (v[i] > v[other]) { float x = v[i]; v[i] = v[other]; v[other] = x; } }
    if ((i & 16) != 0) { if (v[i] < v[other]) { float x = v[i]; v[i] = v[other]; v[other] = x; } }
  }
}
