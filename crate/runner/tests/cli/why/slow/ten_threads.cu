// launch: --grid 200 --block 10 --arg f32[2000]=random:1 --arg f32[2000]=zero
// first: partial_warp 0
__global__ void square(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < 10; ++k) v = v * v + 0.25f;
    y[i] = v;
}
