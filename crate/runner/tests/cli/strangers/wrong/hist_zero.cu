// launch: --grid 2 --block 128 --arg u8[1024]=random:4 --arg u32[256]=zero --arg i32=1024
// finds: uninitialized
__global__ void hist(const unsigned char* d, unsigned* h, int n) {
    __shared__ unsigned s[256];
    if (threadIdx.x < 256) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[d[i]], 1u); //!
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&h[i], s[i]); //!
}
