// launch: --grid 16 --block 32,4 --arg f32[16384]=random:7 --arg f32[256]=random:8 --arg f32[64]=zero --arg i32=64 --arg i32=256
__global__ void matvec(const float* a, const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += 32) s += a[row * cols + c] * x[c];
    for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x == 0) y[row] = s;
}
