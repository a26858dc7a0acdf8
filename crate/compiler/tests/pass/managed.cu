// Variables that the host sees too.
__managed__ int hits;
__device__ __managed__ float weight = 3.f;
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0) atomicAdd(&hits, 1);
  out[i] = weight * in[i];
}
