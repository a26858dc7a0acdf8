// launch: --grid 4 --block 64 --arg f32[32768]=random:9 --arg f32[128]=random:1 --arg f32[256]=zero --arg i32=256 --arg i32=128
// first: stride 8
__global__ void matvec(const float* A, const float* x, float* y, int m, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) return;
    float acc = 0.f;
    for (int j = 0; j < n; j++)
        acc += A[row * n + j] * x[j];
    y[row] = acc;
}
