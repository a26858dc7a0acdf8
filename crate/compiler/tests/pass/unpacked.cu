// Arrays and structs taken apart.
struct MinMax { float lo, hi; };
__device__ MinMax range(const float* p, int n) { MinMax m{p[0], p[0]}; for (int i = 1; i < n; i++) { m.lo = fminf(m.lo, p[i]); m.hi = fmaxf(m.hi, p[i]); } return m; }
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto [lo, hi] = range(in + i, 6);
  float pair[2] = {lo, hi};
  auto& [a, b] = pair;
  a += 1;
  const auto [x, y] = make_float2(in[i], lo);
  out[i] = hi - lo + pair[0] * b + x * y;
}
