// launch: --grid 1 --block 32 --arg f32[128]=random:1 --arg f32[128]=zero --arg i32=4
// finds: uninitialized
__global__ void multi(const float* in, float* out, int n) {
    float acc[4];
    acc[0] = 0.f;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 4; ++j)
            acc[j] += in[(i * 32 + threadIdx.x + j) % 128]; //!
    for (int j = 0; j < 4; ++j) out[threadIdx.x * 4 + j] = acc[j]; //!
}
