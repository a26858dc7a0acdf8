// launch: --grid 1 --block 96 --arg f32[9600]=iota --arg f32[96]=zero --arg i32=96 --arg i32=100
// first: stride 7
__global__ void row_sums(const float* in, float* out, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += in[row * columns + k];
    out[row] = sum;
}
