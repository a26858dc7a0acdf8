// launch: --grid 1 --block 64 --arg i32[256]=random:1 --arg i32[4]=zero
__global__ void maxima(const int* in, int* out) {
    __shared__ int m[2];
    if (threadIdx.x < 2) m[threadIdx.x] = -2147483647 - 1;
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
        atomicMax(&m[k & 1], in[k * 64 + threadIdx.x]);
        __syncthreads();
        if (threadIdx.x == 32) { out[k] = m[k & 1]; m[k & 1] = -2147483647 - 1; }
        __syncthreads();
    }
}
