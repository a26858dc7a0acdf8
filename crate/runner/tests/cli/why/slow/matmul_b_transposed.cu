// launch: --grid 2,2 --block 32,32 --arg f32[4096]=random:5 --arg f32[4096]=random:6 --arg f32[4096]=zero --arg i32=64
// first: bank_conflict 12
__global__ void abt(const float* a, const float* b, float* c, int n) {
    __shared__ float as[32][32];
    __shared__ float bs[32][32];
    float sum = 0;
    for (int m = 0; m < n; m += 32) {
        as[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 32 + threadIdx.y) * n + m + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(blockIdx.x * 32 + threadIdx.y) * n + m + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += as[threadIdx.y][k] * bs[threadIdx.x][k];
        __syncthreads();
    }
    c[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = sum;
}
