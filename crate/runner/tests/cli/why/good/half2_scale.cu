// launch: --grid 8 --block 128 --arg u32[1024]=random:1 --arg u32[1024]=zero
__global__ void swapHalves(const unsigned* in, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i];
    out[i] = (v << 16) | (v >> 16);
}
