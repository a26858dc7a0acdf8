// Local objects of sizes that are no multiple of 16 bytes, and tables that are no objects of a thread's own.
struct Weights { static constexpr int of[5] = {1, 4, 6, 4, 1}; };
extern "C" __global__ void test(const int* in, int* out) {
  int t = threadIdx.x;
  const int dx[3] = {5, 6, 7};
  float w[5] = {1, 4, 6, 4, 1};
  double d[3] = {0.5, 0.25, 0.125};
  int v[6];
  static const int table[4] = {9, 8, 7, 6};
  for (int k = 0; k < 6; k++) v[k] = in[t + k];
  for (int k = 0; k < 5; k++) { v[in[t + k] % 6]++; w[in[t + k + 9] % 5] += 1; d[in[t + k] % 3] += 2; }
  int s = dx[in[t] % 3] + (int)w[in[t + 1] % 5] + (int)(8 * d[in[t + 2] % 3]) + table[in[t + 3] % 4] + Weights::of[in[t + 4] % 5];
  for (int k = 0; k < 6; k++) s += v[k] * k;
  out[t] = s;
}
