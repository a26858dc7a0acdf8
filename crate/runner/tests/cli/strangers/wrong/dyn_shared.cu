// launch: --grid 2 --block 128 --shared 128 --arg i32[256]=iota --arg i32[2]=zero
// finds: out_of_bounds
extern __shared__ int buf[];
__global__ void sum(const int* in, int* out) {
    int t = threadIdx.x;
    buf[t] = in[blockIdx.x * blockDim.x + t]; //!
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = buf[0];
}
