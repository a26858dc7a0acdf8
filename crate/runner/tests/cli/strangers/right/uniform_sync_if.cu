// launch: --grid 3 --block 64 --arg i32[192]=iota --arg i32=2
__global__ void some(int* d, int blocks) {
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (blockIdx.x < blocks) {
        s[threadIdx.x] = d[i];
        __syncthreads();
        d[i] = s[63 - threadIdx.x];
    }
    for (int r = 0; r < blockIdx.x; ++r) {
        __syncthreads();
        s[threadIdx.x] = r;
        __syncthreads();
        d[i] += s[(threadIdx.x + 1) % 64];
    }
}
