// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: mask
__global__ void rounds(const int* n, int* out) {
    int acc = 0;
    for (int k = 0; k < n[threadIdx.x] % 3 + 1; ++k)
        acc += __reduce_add_sync(0xffffffff, k + 1); //!
    __syncwarp();
    out[threadIdx.x] = acc;
}
