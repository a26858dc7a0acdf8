//# block 64
// A value that only the last part of a condition needs is loaded where it stands; a product before a constant one is rounded.
extern "C" __global__ void test(const float* in, const int* keys, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = keys[i] % 5;
  int alive = keys[i + 64] & 1;
  bool goes_on = n == 3 || (n == 2 && alive);
  float sum = 0.f;
  for (int k = i; k < i + keys[i + 7] % 9; k++) sum += in[k];
  float next = 0.15f / items + 0.85f * sum;
  out[i] = goes_on ? next : -next;
}
