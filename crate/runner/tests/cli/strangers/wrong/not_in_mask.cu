// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: mask
__global__ void pairs(const int* in, int* out) {
    int v = in[threadIdx.x];
    v += __shfl_xor_sync(0x0000ffff, v, 1); //!
    out[threadIdx.x] = v;
}
