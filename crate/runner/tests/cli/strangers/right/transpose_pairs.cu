// launch: --grid 3,3 --block 8,8 --arg f32[576]=iota --arg i32=24
template <int T> __global__ void transpose(float* a, int n);
__global__ void transposeInPlace(float* a, int n) {
    if (blockIdx.x > blockIdx.y) return;
    __shared__ float s[8][9], r[8][9];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int tx = blockIdx.y * 8 + threadIdx.x, ty = blockIdx.x * 8 + threadIdx.y;
    s[threadIdx.y][threadIdx.x] = a[y * n + x];
    r[threadIdx.y][threadIdx.x] = a[ty * n + tx];
    __syncthreads();
    a[ty * n + tx] = s[threadIdx.x][threadIdx.y];
    if (blockIdx.x != blockIdx.y) a[y * n + x] = r[threadIdx.x][threadIdx.y];
}
