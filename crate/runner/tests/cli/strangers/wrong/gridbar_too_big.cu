// launch: --grid 600 --block 1024 --arg u32[1]=zero --arg i32[600]=zero
// finds: limit,endless_loop
__global__ void bar(unsigned* count, int* out) {
    if (threadIdx.x == 0) {
        atomicAdd(count, 1u);
        while (atomicAdd(count, 0u) < gridDim.x) ; //!
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = 1;
}
