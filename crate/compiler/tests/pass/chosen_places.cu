// A choice between two variables, and commas.
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0, b = 0;
  for (int l = 0, r = 9; l < r; ++l, --r) (l & 1 ? a : b) += in[i + l] - in[i + r];
  int k = 5; do { a += k, b -= k; } while (--k);
  (in[i] > 0 ? a : b) = 4;
  out[i] = (a++, a + b);
}
