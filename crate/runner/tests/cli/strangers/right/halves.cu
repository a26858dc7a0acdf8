// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
__global__ void halves(const int* in, int* out) {
    int v = in[threadIdx.x];
    if (threadIdx.x < 16) {
        for (int o = 8; o; o >>= 1) v += __shfl_xor_sync(0x0000ffffu, v, o);
    } else {
        for (int o = 8; o; o >>= 1) v = max(v, __shfl_xor_sync(0xffff0000u, v, o, 16));
    }
    __syncwarp();
    out[threadIdx.x] = v;
}
