// launch: --grid 1 --block 64 --arg f32[50]=random:1 --arg f32[2]=zero --arg i32=50
// finds: mask
__global__ void warpSums(const float* in, float* out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o); //!
    if (i % 32 == 0) out[i / 32] = v;
}
