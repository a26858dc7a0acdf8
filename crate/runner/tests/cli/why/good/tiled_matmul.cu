// launch: --grid 4,4 --block 32,32 --arg f32[16384]=random:4 --arg f32[16384]=random:5 --arg f32[16384]=zero --arg i32=128
#define T 32
__global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float as[T][T];
    __shared__ float bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float sum = 0.0f;
    for (int m = 0; m < n / T; ++m) {
        as[ty][tx] = a[row * n + m * T + tx];
        bs[ty][tx] = b[(m * T + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < T; ++k) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
