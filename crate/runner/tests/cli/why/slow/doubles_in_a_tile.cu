// launch: --grid 4 --block 32,16 --arg f64[2048]=iota --arg f64[2048]=zero
// first: bank_conflict 7
__global__ void turn(const double* in, double* out) {
    __shared__ double tile[16][32];
    tile[threadIdx.y][threadIdx.x] = in[blockIdx.x * 512 + threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 512 + threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x % 16][threadIdx.y * 2 + threadIdx.x / 16];
}
