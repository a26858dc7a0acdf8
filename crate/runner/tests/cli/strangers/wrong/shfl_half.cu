// launch: --grid 1 --block 32 --arg f32[32]=random:1 --arg f32[1]=zero
// finds: mask
__global__ void half(const float* in, float* out) {
    float v = in[threadIdx.x];
    if (threadIdx.x < 16) {
        for (int o = 8; o > 0; o >>= 1)
            v += __shfl_down_sync(0xffffffff, v, o); //!
        if (threadIdx.x == 0) *out = v;
    }
}
