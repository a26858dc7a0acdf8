// launch: --grid 16 --block 128 --arg i32[2048]=random:9 --arg i32[2]=zero
// first: atomic 5
__global__ void range(const int* x, int* out) {
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    atomicMin(&out[0], v);
    atomicMax(&out[1], v);
}
