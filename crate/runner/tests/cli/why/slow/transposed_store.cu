// launch: --grid 3,5 --block 32,8 --arg f32[15360]=iota --arg f32[15360]=zero --arg i32=96 --arg i32=160
// first: stride 7
__global__ void transpose(const float* in, float* out, int columns, int rows) {
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int y = blockIdx.y * 32 + j;
        if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
    }
}
