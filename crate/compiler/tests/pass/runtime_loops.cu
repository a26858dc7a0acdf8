//# block 64
// Loops whose length is known when they are entered, which differs between the lanes of a warp.
extern "C" __global__ void test(const float* in, const int* keys, float* out, int items, int steps, int stride, unsigned times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items) return;
  float s = 0, p = 1;
  int begin = 3 * i, end = begin + keys[i];
  for (int k = begin; k < end; k++) s += in[k] * in[keys[k]];
  for (int k = threadIdx.x % 32; k < 100 + keys[i]; k += 32) s = s * 0.5f + in[k];
  for (int k = i % 5; k < 40; k += stride) p += in[k];
  for (int k = keys[i] % 7; k >= 0; --k) p = p * 0.25f + in[k];
  for (int k = 0; k <= steps + (i & 3); k++) { if (in[k] < 0) continue; p += in[k + 50]; }
  for (unsigned k = 0; k != times; ++k) { int at = 20000 + i * 20 + k; out[at + 1] = out[at] * 0.5f + in[at]; }
#pragma unroll 3
  for (unsigned k = 0; k < times + (i & 1); ++k) s += in[7 * k];
#pragma unroll 1
  for (unsigned k = 0; k < times; ++k) s += in[9 * k + 1];
  float nearest = 1e9f;
  for (int c = 0; c < steps + (i & 3); c++) {
    float d = 0;
    for (int k = 0; k < 3; k++) d += fabsf(in[3 * i + k] - in[900 + 3 * c + k]);
    nearest = fminf(nearest, d);
  }
  out[i] = s; out[4096 + i] = p; out[8192 + i] = nearest;
}
