//# block 64
// Loops over constants that are left for another reason too: those that ask for both at once stay as they are, but not where
// elements of a local array are counted.
extern "C" __global__ void test(const float* in, const unsigned short* marks, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  float x = in[i], y = 0, s = 0;
  unsigned m = 0;
  int steps = 0;
  while (steps < 8 && x * x + y * y < 4.0f) { y = 2 * x * y + 0.25f; x = x * 0.9f + y; m += marks[steps]; steps++; }
  for (int k = 0; k < 12; ++k) { s += in[k + i]; m += marks[k]; if (s > 9.0f) break; }
  for (int k = 0; k < 7; ++k) { if (in[k] > 1.5f) break; m += marks[k + 3]; }
  for (int k = 0; k < 6; ++k) { m ^= marks[k]; if (m > 60000) break; y += 0.5f; }
  float kept[5];
  for (int k = 0; k < 5; ++k) kept[k] = in[10 * k];
  for (int at = threadIdx.x, k = 0; at < items && k < 5; ++k) { s += kept[k] * in[at]; m += marks[at]; at += blockDim.x; }
  for (int k = 0; k < 5; ++k) { s = s * 0.5f + kept[k]; m += marks[k + i]; if (s > 100.0f) break; }
  out[i] = s + x; out[4096 + i] = y + steps; out[6096 + i] = m;
}
