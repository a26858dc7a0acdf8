// launch: --grid 4 --block 64 --arg f32[25600]=random:9 --arg f32[256]=zero --arg i32=100 --arg i32=256
__global__ void colSums(const float* m, float* sums, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float s = 0;
    for (int r = 0; r < rows; ++r) s += m[r * cols + c];
    sums[c] = s;
}
