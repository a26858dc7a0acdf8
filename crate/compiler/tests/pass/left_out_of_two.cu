//# block 64
// Of two loops neither is split for the iteration that it leaves out.
extern "C" __global__ void test(const float* in, float* out, int items, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  float s = 0, t = 0;
  for (int j = 0; j < items; j++) if (j != i) s += in[j] * in[2 * j + 1];
  for (int j = 0; j < count; j++) t += in[j];
  out[i] = s; out[4096 + i] = t;
}
