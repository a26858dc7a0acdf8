// launch: --grid 8 --block 32 --arg f32[256]=random:1 --arg f32[1]=zero
// finds: race
__global__ void total(const float* in, float* sum) {
    float v = in[blockIdx.x * 32 + threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x == 0) *sum += v; //!
}
