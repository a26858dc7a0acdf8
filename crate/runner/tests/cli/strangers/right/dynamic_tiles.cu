// launch: --grid 3 --block 32 --arg i32[1]=zero --arg i32[320]=zero --arg i32=10
__global__ void work(int* counter, int* out, int tiles) {
    __shared__ int tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
        __syncthreads();
        int mine = tile;
        __syncthreads();
        if (mine >= tiles) break;
        out[mine * 32 + threadIdx.x] = mine;
    }
}
