// Labels before and behind.
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i], steps = 0;
again:
  if (v <= 1) goto done;
  v = (v & 1) ? 3 * v + 1 : v / 2;
  if (++steps < 200) goto again;
done:
  out[i] = steps;
}
