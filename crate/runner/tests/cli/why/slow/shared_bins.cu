// launch: --grid 16 --block 128 --arg u8[2048]=random:4 --arg u32[256]=zero --arg u32=3
// first: atomic 8
__global__ void histogram(const unsigned char* in, unsigned* bins, unsigned weight) {
    __shared__ unsigned mine[4];
    if (threadIdx.x < 4) mine[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&mine[in[i] >> 6], weight + (in[i] & 1));
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
