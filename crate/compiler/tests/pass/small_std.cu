// Parts of cuda/std: arrays, spans, tuples, limits.
#include <cuda/std/span>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/cmath>
__device__ cuda::std::optional<float> root(float v) { if (v < 0) return {}; return cuda::std::sqrt(v); }
__device__ cuda::std::tuple<float, int> both(float v) { return cuda::std::make_tuple(v, (int)v); }
__device__ float sum(cuda::std::span<const float> s) { float r = 0; for (float v : s) r += v; return r; }
extern "C" __global__ void test(const float* x, float* y, unsigned items)
{
    auto r = root(x[threadIdx.x]);
    auto [f, i] = both(x[threadIdx.x + 1]);
    y[threadIdx.x] = (r ? *r : -1.0f) + r.value_or(3.0f) + f + i + sum(cuda::std::span<const float>(x, 5)) + cuda::std::get<0>(both(2.0f));
}
