// launch: --grid 2,64 --block 128 --arg f32[16384]=random:2 --arg f32[64]=zero --arg i32=256
// first: atomic 6
__global__ void rowSum(const float* a, float* sums, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
    atomicAdd(sums + row, a[row * cols + col]);
}
