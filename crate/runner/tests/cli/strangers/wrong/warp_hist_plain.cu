// launch: --grid 1 --block 128 --arg u8[512]=random:1 --arg u32[16]=zero
// finds: race
__global__ void hist(const unsigned char* d, unsigned* h) {
    __shared__ unsigned s[4][16];
    unsigned* mine = s[threadIdx.x / 32];
    int lane = threadIdx.x % 32;
    if (lane < 16) mine[lane] = 0;
    __syncwarp();
    for (int i = threadIdx.x; i < 512; i += 128) mine[d[i] >> 4] += 1; //!
    __syncthreads();
    if (threadIdx.x < 16) h[threadIdx.x] = s[0][threadIdx.x] + s[1][threadIdx.x] + s[2][threadIdx.x] + s[3][threadIdx.x];
}
