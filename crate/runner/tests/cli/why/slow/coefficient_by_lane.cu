// launch: --grid 16 --block 128 --arg f32[2048]=random:7 --arg f32[2048]=zero
// first: constant 6
__constant__ float coef[8];
__global__ void apply(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float c = coef[threadIdx.x % 8];
    y[i] = c * x[i];
}
