// launch: --grid 32 --block 256 --arg f32[8192]=random:8 --arg i32[1]=zero --arg i32=8192
// first: atomic 6
__global__ void countAboveHalf(const float* x, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.5f)
        atomicAdd(count, 1);
}
