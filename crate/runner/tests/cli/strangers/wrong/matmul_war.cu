// launch: --grid 2,2 --block 16,16 --arg f32[1024]=random:1 --arg f32[1024]=random:2 --arg f32[1024]=zero --arg i32=32
// finds: race
#define T 16
__global__ void matmul(const float* A, const float* B, float* C, int n) {
    __shared__ float a[T][T], b[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float acc = 0.f;
    for (int k = 0; k < n; k += T) {
        a[threadIdx.y][threadIdx.x] = A[row * n + k + threadIdx.x]; //!
        b[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + col]; //!
        __syncthreads();
        for (int j = 0; j < T; ++j) acc += a[threadIdx.y][j] * b[j][threadIdx.x]; //!
    }
    C[row * n + col] = acc;
}
