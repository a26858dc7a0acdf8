// Templates that take templates, and function objects with constants.
template <typename T> struct Max { static constexpr T identity = -3.4e38f; __device__ __forceinline__ T operator()(const T& a, const T& b) const { return a > b ? a : b; } };
template <typename T> struct Plus { static constexpr T identity = 0; __device__ __forceinline__ T operator()(const T& a, const T& b) const { return a + b; } };
template <template <typename> class Op, typename T> __device__ T warp_reduce(T v) { Op<T> op; for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_down_sync(~0u, v, d)); return v; }
template <typename Op, typename T, typename U = T> __device__ T reduce(const T* p, int n, Op op = Op{}) { U r = Op::identity; for (int i = threadIdx.x; i < n; i += 32) r = op(r, p[i]); return r; }
extern "C" __global__ void test(const float* in, float* out, int items) {
  float m = warp_reduce<Max>(reduce<Max<float>>(in, items));
  float s = warp_reduce<Plus, float>(reduce(in, items, Plus<float>()));
  if (threadIdx.x == 0) out[blockIdx.x] = m + s;
}
