// One that sorts.
__device__ void quick(int* a, int lo, int hi) {
  if (lo >= hi) return;
  int p = a[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) { while (a[i] < p) i++; while (a[j] > p) j--; if (i <= j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } }
  quick(a, lo, j); quick(a, i, hi);
}
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; k++) out[i * 8 + k] = in[i * 8 + k];
  quick(out, i * 8, i * 8 + 7);
}
