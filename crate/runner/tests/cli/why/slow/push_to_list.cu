// launch: --grid 16 --block 256 --arg i32[4096]=random:4 --arg i32[4096]=zero --arg i32[1]=zero
// first: atomic 7
__global__ void filterEven(const int* in, int* out, int* size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    if (v % 2 == 0) {
        int slot = atomicAdd(size, 1);
        out[slot] = v;
    }
}
