// launch: --grid 2,2 --block 32,32 --arg f32[4096]=iota --arg f32[4096]=zero
// first: bank_conflict 8
__global__ void turn(const float* in, float* out) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * 64 + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * 64 + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
