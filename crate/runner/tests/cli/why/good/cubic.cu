// launch: --grid 16 --block 256 --arg f32[4096]=random:1 --arg f32[4096]=zero --arg i32=4096
__device__ __forceinline__ float f(float x) { return x * x * x - 2.0f * x + 1.0f; }
__global__ void cubic(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = f(x[i]);
}
