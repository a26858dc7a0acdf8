// launch: --grid 3,5 --block 32,8 --arg f32[15360]=iota --arg f32[15360]=zero --arg i32=96 --arg i32=160
__global__ void transpose(const float* in, float* out, int columns, int rows) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        out[(blockIdx.x * 32 + j) * rows + y + threadIdx.x] = tile[threadIdx.x][j];
}
