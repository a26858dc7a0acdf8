// launch: --grid 8 --block 128 --arg f32[5000]=iota --arg f32[5000]=random:1 --arg f32=2.5 --arg i32=5000
__global__ void saxpy(const float* x, float* y, float a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}
