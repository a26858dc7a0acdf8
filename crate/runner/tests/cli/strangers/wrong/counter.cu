// launch: --grid 1 --block 128 --arg i32[128]=random:1 --arg i32[128]=zero --arg i32[1]=zero
// finds: uninitialized
__global__ void compact(const int* in, int* out, int* n) {
    __shared__ int count;
    int v = in[threadIdx.x];
    if (v > 0) {
        int slot = atomicAdd(&count, 1); //!
        out[slot] = v;
    }
    __syncthreads();
    if (threadIdx.x == 0) *n = count; //!
}
