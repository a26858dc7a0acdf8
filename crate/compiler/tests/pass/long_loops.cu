//# block 64
// Loops over constants, some too long to be unrolled wholly: so many iterations run at a time, and what they store comes between
// their loads.
extern "C" __global__ void test(const float* in, const unsigned short* marks, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  float s = in[i], p = 1;
  unsigned m = 0;
  for (int k = 0; k < 96; ++k) { m += marks[k]; s = s * 0.5f + in[i + k]; out[7000 + i] = s; }
  for (int k = 0; k < 75; ++k) { m ^= marks[k]; p += in[3 * k] * s; out[7100 + i] = p; }
  for (int k = 0; k < 98; k += 2) { m += marks[k] & 7; p = fmaxf(p, in[k + i]); out[7200 + i] = p; }
  for (int k = 40; k > 0; --k) { m += marks[k]; out[7300 + i] = s; s += in[k]; }
  for (int k = 0; k < 4096; ++k) s = s * 0.9f + p;
  for (unsigned long long k = 0; k < sizeof(double) * 10; k++) { p += in[k + 5]; out[7400 + i] = p; }
#pragma unroll 4
  for (int k = 0; k < 30; ++k) { s += in[9 * k]; out[7500 + i] = s; }
#pragma unroll 5
  for (int k = 0; k < 11; ++k) { m += marks[5 * k]; out[7600 + i] = m; }
  for (int row = 0; row < 24; ++row)
    for (int k = 0; k < 3; ++k) { p = p * 0.25f + in[row * 40 + k]; out[7700 + i] = p; }
  for (int row = 0; row < 6; ++row)
    for (int k = threadIdx.x; k < 100; k += 32) { s += in[row * 100 + k] * p; out[7800 + i] = s; m ^= marks[k + row]; }
  for (int k = 0; k < 64; ++k) { if (k & 1) s += in[k]; else s *= 0.5f; p += in[k % 4] * s; out[7900 + i] = p; }
  for (int k = 0; k < 90; ++k) { if (k == 0) p = s; else p *= in[k + 1]; m += marks[k & 1]; out[7960 + i] = p; }
  out[i] = s; out[4096 + i] = p; out[6096 + i] = m;
}
