// launch: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
// finds: mask
__global__ void scan(const int* in, int* out) {
    int v = in[threadIdx.x], l = threadIdx.x & 31;
    for (int o = 1; o < 32; o *= 2)
        if (l >= o) v += __shfl_up_sync(0xffffffff, v, o); //!
    __syncthreads();
    out[threadIdx.x] = v;
}
