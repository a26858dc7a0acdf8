// launch: --grid 4,4 --block 16,16 --arg f64[4096]=random:7 --arg f64[4096]=zero --arg i32=64
// first: bank_conflict 8
__global__ void turn(const double* in, double* out, int n) {
    __shared__ double block[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    block[y][x] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
    __syncthreads();
    out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = block[x][y];
}
