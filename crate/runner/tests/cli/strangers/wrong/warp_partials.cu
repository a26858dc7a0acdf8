// launch: --grid 1 --block 128 --arg f32[128]=random:1 --arg f32[1]=zero
// finds: uninitialized
__global__ void total(const float* in, float* out) {
    __shared__ float part[32];
    float v = in[threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = part[threadIdx.x]; //!
        for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
        if (threadIdx.x == 0) *out = v;
    }
}
