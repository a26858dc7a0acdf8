extern "C" __global__ void test(const unsigned* in, unsigned* out) {
  __shared__ float s_mean, s_variance;
  const int N = 64; float eps = 1e-5;
  float mean = 0.0f, m2 = 0; int count = 0;
  for (int i = threadIdx.x; i < N; i += blockDim.x) { float x = in[i] / 7.0f; count++; float delta = x - mean; mean += delta / count; m2 += delta * (x - mean); }
  for (int o = 16; o; o >>= 1) { float b_mean = __shfl_down_sync(~0u, mean, o), b_m2 = __shfl_down_sync(~0u, m2, o); int b_count = __shfl_down_sync(~0u, count, o);
    float delta = b_mean - mean; int n = count + b_count; mean += delta * b_count / n; m2 += b_m2 + delta * delta * count * b_count / n; count = n; }
  if (threadIdx.x == 0) { s_mean = mean; s_variance = rsqrtf(m2 / N + eps); }
  __syncthreads();
  for (int i = threadIdx.x; i < N; i += blockDim.x) reinterpret_cast<float*>(out)[i] = (in[i] / 7.0f - s_mean) * s_variance;
}
