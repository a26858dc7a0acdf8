// launch: --grid 1 --block 64 --arg i32[64]=zero
// finds: endless_loop
__global__ void wait(int* out) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x >= 32) {
        while (!ready) ; //!
    }
    __syncthreads();
    if (threadIdx.x == 0) ready = 1;
    out[threadIdx.x] = ready;
}
