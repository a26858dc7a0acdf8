// launch: --grid 2,2 --block 32,32 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void turn(const float* in, float* out) {
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x ^ y] = in[(blockIdx.y * 32 + y) * 64 + blockIdx.x * 32 + x];
    __syncthreads();
    out[(blockIdx.x * 32 + y) * 64 + blockIdx.y * 32 + x] = tile[x][y ^ x];
}
