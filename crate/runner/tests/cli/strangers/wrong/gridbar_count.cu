// launch: --grid 4 --block 32 --cooperative --arg i32[128]=zero --arg u32[1]=zero
// finds: endless_loop
__device__ void gridBarrier(unsigned* count, unsigned expected) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1u);
        while (atomicAdd(count, 0u) < expected) ; //!
        __threadfence();
    }
    __syncthreads();
}
__global__ void two(int* d, unsigned* count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = i;
    gridBarrier(count, gridDim.x + 1); //!
    d[i] += d[127 - i] * 0;
}
