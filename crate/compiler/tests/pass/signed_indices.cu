// What is added to a signed index is added to the address: `in[i + 1]` is `(in + i)[1]`, but not where the index has no sign.
extern "C" __global__ void test(const float* in, float* out, int columns, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned u = i;
  const float* from = in + i;
  float a = in[i + 1] * from[1] + in[i - 1 + 2];
  out[i] = a;
  float b = in[u + 1] + (in + u)[1];
  out[4096 + i] = b;
  int at = i * columns + 5;
  out[8192 + i] = in[at] + in[at + 1] + (in + i * columns)[6] + in[4 * i + 3] + (in + 4 * i)[3];
}
