// launch: --grid 2 --block 96 --arg i32[150]=random:4 --arg i32[2]=zero --arg i32=150
template <class Op> __device__ int reduce(int v, Op op, int identity) {
    __shared__ int s[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
    for (int o = 16; o; o >>= 1) v = op(v, __shfl_down_sync(~0u, v, o));
    if (!lane) s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < warps ? s[lane] : identity;
        for (int o = 16; o; o >>= 1) v = op(v, __shfl_down_sync(~0u, v, o));
    }
    return v;
}
__global__ void maxima(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int least = -2147483647 - 1;
    int v = i < n ? in[i] : least;
    v = reduce(v, [] (int a, int b) { return a > b ? a : b; }, least);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
