// launch: --grid 4 --block 64 --arg f32[25600]=random:7 --arg f32[256]=zero --arg i32=256 --arg i32=100
// first: stride 8
__global__ void rowMax(const float* m, float* best, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float b = m[r * cols];
        for (int c = 1; c < cols; c++) {
            b = fmaxf(b, m[r * cols + c]);
        }
        best[r] = b;
    }
}
