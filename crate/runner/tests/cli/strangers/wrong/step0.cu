// launch: --grid 1 --block 32 --arg f32[256]=random:1 --arg f32[32]=zero --arg i32=256
// finds: endless_loop
__global__ void sums(const float* in, float* out, int n) {
    int warps = blockDim.x / 64;
    float s = 0.f;
    for (int i = threadIdx.x; i < n; i += warps * 32) //!
        s += in[i]; //!
    out[threadIdx.x] = s;
}
