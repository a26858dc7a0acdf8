// launch: --grid 1 --block 48 --arg i32[48]=iota --arg i32[2]=zero
__global__ void sums(const int* in, int* out) {
    int v = in[threadIdx.x], w = threadIdx.x / 32;
    int lanes = min(32, (int)blockDim.x - w * 32);
    unsigned m = lanes == 32 ? ~0u : (1u << lanes) - 1;
    int r = __reduce_add_sync(m, v);
    for (int o = 8; o; o >>= 1) v += __shfl_xor_sync(m, v, o, 16);
    if (threadIdx.x % 32 == 0) out[w] = r * 1000 + v;
}
