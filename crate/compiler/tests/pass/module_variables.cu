// Variables of the module.
__device__ int counter = 5;
__device__ float table[4] = {1.f, 2.f, 4.f, 8.f};
struct Params { float scale; int shift; float w[3]; };
__constant__ Params params = {2.f, 3, {1.f, 2.f, 3.f}};
__device__ Params devParams;
__device__ unsigned long long total;
__constant__ float lut[2][3] = {{1, 2, 3}, {4, 5, 6}};
static __device__ const int primes[] = {2, 3, 5, 7, 11};
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4) table[i] += i;
  atomicAdd(&total, 1ull);
  devParams.w[0] = 1.f;
  out[i] = in[i] * params.scale + params.w[i % 3] + params.shift + lut[i & 1][i % 3] + primes[i % 5] + counter;
}
