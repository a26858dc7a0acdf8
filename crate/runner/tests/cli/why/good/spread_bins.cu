// launch: --grid 16 --block 128 --arg u32[2048]=iota --arg u32[2048]=zero
__global__ void scatter(const unsigned* in, unsigned* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[i], in[i]);
}
