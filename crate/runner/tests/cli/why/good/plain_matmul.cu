// launch: --grid 4,4 --block 16,16 --arg f32[4096]=random:4 --arg f32[4096]=random:5 --arg f32[4096]=zero --arg i32=64
__global__ void matmul(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
