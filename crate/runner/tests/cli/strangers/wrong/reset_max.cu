// launch: --grid 1 --block 64 --arg i32[256]=random:1 --arg i32[4]=zero
// finds: race
__global__ void maxima(const int* in, int* out) {
    __shared__ int m;
    for (int k = 0; k < 4; ++k) {
        if (threadIdx.x == 0) m = -2147483647 - 1; //!
        __syncthreads();
        atomicMax(&m, in[k * 64 + threadIdx.x]); //!
        __syncthreads();
        if (threadIdx.x == 32) out[k] = m; //!
    }
}
