// launch: --grid 1 --block 64 --arg f32[64]=random:1 --arg f32[64]=zero
// finds: uninitialized
__global__ void classify(const float* in, float* out) {
    float v = in[threadIdx.x];
    float level;
    if (v < 0.3f) level = 1.f;
    else if (v < 0.6f) level = 2.f;
    out[threadIdx.x] = level * v; //!
}
