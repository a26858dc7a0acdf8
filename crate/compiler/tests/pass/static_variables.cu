// Variables that functions keep.
__device__ int weight(int k) { static const int w[5] = {1, 4, 6, 4, 1}; static constexpr int bias = 2; return w[k] + bias; }
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  static __device__ int launches = 0;
  static __shared__ int s[32];
  s[threadIdx.x] = in[i];
  __syncwarp();
  if (i == 0) launches++;
  out[i] = weight(i % 5) * s[31 - threadIdx.x];
}
