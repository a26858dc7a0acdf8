// A jump out of two loops.
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int found = -1;
  for (int a = 0; a < items % 7 + 3; a++)
    for (int b = 0; b < 5; b++)
      if ((in[i + a] ^ in[i + b]) % 5 == 2) { found = a * 8 + b; goto out_of_loops; }
  found = 1000;
out_of_loops:
  out[i] = found;
}
