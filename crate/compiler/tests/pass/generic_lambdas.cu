// Lambdas of any types, and of any number of them.
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto sq = [](auto v) { return v * v; };
  auto pick = [](const auto& a, auto b) { return a > b ? a : b; };
  auto add = [&](auto... v) { return (v + ... + in[i]); };
  int k = sq(i);
  out[i] = sq(in[i]) + k + pick(in[i], in[i + 1]) + add(1.f, 2, 3.f);
}
