// launch: --grid 32 --block 256 --arg i32[8192]=random:9 --arg i32[1]=zero --arg i32=8192
// first: atomic 6
__global__ void findMax(int* values, int* result, int n) {
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    if (gid < n) {
        atomicMax(result, values[gid]);
    }
}
