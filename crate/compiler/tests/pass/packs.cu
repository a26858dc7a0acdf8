// Packs of types: functions of any number of arguments, folds, `sizeof...`.
template <typename T> __device__ T sum(T v) { return v; }
template <typename T, typename... Rest> __device__ T sum(T first, Rest... rest) { return first + sum(rest...); }
template <typename... Ts> __device__ constexpr int count(Ts...) { return sizeof...(Ts); }
template <typename... Ts> __device__ auto fold_sum(Ts... v) { return (v + ...); }
template <typename... Ts> __device__ auto fold_left(Ts... v) { return (... - v); }
template <typename... Ts> __device__ bool all_pos(Ts... v) { return ((v > 0) && ...); }
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) {
    float a = in[i], b = in[i + 1], c = in[i + 2];
    out[i] = sum(a, b, c) + count(a, b) + fold_sum(a, b, c) * fold_left(c, b, a) + (all_pos(a, b) ? 1.f : 0.f);
  }
}
