// launch: --grid 1 --block 64 --arg i32[1]=zero
// finds: race
__global__ void count(int* out) {
    __shared__ volatile int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    n = n + 1; //!
    __syncthreads();
    if (threadIdx.x == 0) *out = n;
}
