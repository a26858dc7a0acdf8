//# block 64
// A loop that does something else in one of its iterations.
extern "C" __global__ void test(const float* in, float* out, int items, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  float s = 0;
  for (int j = 0; j < count; j++) {
    if (j == i) { s -= in[j + 100]; continue; }
    s += in[j] * in[3 * j];
  }
  out[i] = s;
}
