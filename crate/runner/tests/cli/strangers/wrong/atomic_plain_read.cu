// launch: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
// finds: race
__global__ void tickets(const int* in, int* out) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    if (in[threadIdx.x] % 2) atomicAdd(&n, 1); //!
    out[threadIdx.x] = n; //!
}
