// launch: --grid 1 --block 64 --arg i32[32]=iota --arg i32[32]=zero
__global__ void warps(const int* in, int* out) {
    __shared__ int data[32];
    __shared__ volatile int ready;
    int l = threadIdx.x & 31;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        data[l] = in[l] * 5;
        __threadfence_block();
        __syncwarp();
        if (l == 0) ready = 1;
    } else {
        while (!ready) ;
        __threadfence_block();
        out[l] = data[31 - l];
    }
}
