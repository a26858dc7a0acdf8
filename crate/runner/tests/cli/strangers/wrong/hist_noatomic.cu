// launch: --grid 1 --block 128 --arg u8[128]=random:1 --arg i32[16]=zero
// finds: race
__global__ void hist(const unsigned char* d, int* h) {
    __shared__ int s[16];
    if (threadIdx.x < 16) s[threadIdx.x] = 0;
    __syncthreads();
    s[d[threadIdx.x] >> 4]++; //!
    __syncthreads();
    if (threadIdx.x < 16) h[threadIdx.x] = s[threadIdx.x];
}
