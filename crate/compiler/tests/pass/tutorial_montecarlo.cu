// Random numbers of the thread, and a count in a loop that is not unrolled after all.
//# block 64
__device__ unsigned int xorshift32(unsigned int &state) { state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state; }
struct RNG { unsigned int z1, z2, z3, z4;
  __device__ unsigned tausStep(unsigned &z, int S1, int S2, int S3, unsigned M) { unsigned b = (((z << S1) ^ z) >> S2); return z = (((z & M) << S3) ^ b); }
  __device__ float next() { return 2.3283064365387e-10 * (tausStep(z1, 13, 19, 12, 4294967294UL) ^ tausStep(z2, 2, 25, 4, 4294967288UL) ^ tausStep(z3, 3, 11, 17, 4294967280UL) ^ (z4 = 1664525 * z4 + 1013904223UL)); } };
extern "C" __global__ void test(const unsigned *seeds, float *out, unsigned *counts, int items) {
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned state = seeds[tid] * 747796405u + 2891336453u;
  RNG g = {state | 256, state * 3 | 256, state * 5 | 256, state};
  int inside = 0;
  for (int i = 0; i < 100; ++i) { float x = g.next(), y = xorshift32(state) * (1.0f / 4294967296.0f); if (x * x + y * y <= 1.0f) ++inside; }
  out[tid] = 4.0f * inside / 100;
  atomicAdd(&counts[0], inside);
}
