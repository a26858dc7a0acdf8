// Objects that do something when their block ends, however it ends.
struct Guard { int* p; int v; __device__ Guard(int* p, int v) : p(p), v(v) { *p += v; } __device__ ~Guard() { *p -= v * 2; } };
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = in[i];
  { Guard g(&x, 3); x *= 2; for (int k = 0; k < 3; k++) { Guard h(&x, k); if (x & 1) continue; x++; } if (x > 100) { out[i] = x; return; } }
  out[i] = x;
}
