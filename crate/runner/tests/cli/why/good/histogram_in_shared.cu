// launch: --grid 8 --block 256 --arg u8[32768]=random:2 --arg u32[256]=zero --arg i32=32768
__global__ void hist(const unsigned char* data, unsigned* bins, int n) {
    __shared__ unsigned mine[8][256];
    for (int i = threadIdx.x; i < 2048; i += 256) ((unsigned*)mine)[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&mine[threadIdx.x / 32][data[i]], 1u);
    __syncthreads();
    unsigned s = 0;
    for (int w = 0; w < 8; ++w) s += mine[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], s);
}
