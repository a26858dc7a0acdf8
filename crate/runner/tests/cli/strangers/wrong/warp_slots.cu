// launch: --grid 1 --block 256 --arg i32[256]=iota --arg i32[1]=zero
// finds: out_of_bounds
__device__ int warpSum(int v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}
__global__ void blockSum(const int* in, int* out) {
    __shared__ int part[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int v = warpSum(in[threadIdx.x]);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = part[lane]; //!
        v = warpSum(v);
        if (lane == 0) *out = v;
    }
}
