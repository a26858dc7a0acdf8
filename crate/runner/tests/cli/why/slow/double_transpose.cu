// launch: --grid 2,2 --block 32,32 --arg f64[4096]=iota --arg f64[4096]=zero --arg i32=64
// first: bank_conflict 12
#define TILE 32
__global__ void transpose(const double* A, double* B, int n) {
    __shared__ double tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = A[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    B[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
