// Cases within a loop of their `switch`, and within blocks.
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = in[i] % 11, s = 0, k = 0;
  switch (n % 4) {
    case 0: do { s += in[i + k++];
    case 3:      s += in[i + k++];
    case 2:      s += in[i + k++];
    case 1:      s += in[i + k++];
            } while ((n -= 4) > 0);
  }
  switch (s & 7) { case 1: case 2: case 3: s += 100; break; case 4: { case 5: s -= 7; } break; }
  out[i] = s;
}
