// launch: --grid 1 --block 128 --arg u8[512]=random:1 --arg u32[16]=zero
__global__ void hist(const unsigned char* d, unsigned* h) {
    __shared__ unsigned s[4][16];
    unsigned* mine = s[threadIdx.x / 32];
    int lane = threadIdx.x % 32;
    if (lane < 16) mine[lane] = 0;
    __syncwarp();
    for (int i = threadIdx.x; i < 512; i += 128) atomicAdd(&mine[d[i] >> 4], 1u);
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned t = 0;
        for (int w = 0; w < 4; ++w) t += s[w][threadIdx.x];
        h[threadIdx.x] = t;
    }
}
