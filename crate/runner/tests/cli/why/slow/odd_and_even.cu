// launch: --grid 16 --block 128 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=40
// first: divergence 5
__global__ void halves(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i & 1) {
        float x = in[i];
        for (int j = 0; j < n; ++j) x = x * 1.5f + 2.0f;
        out[i] = x;
    } else {
        float x = in[i];
        for (int j = 0; j < n; ++j) x = x / 1.5f - 2.0f;
        out[i] = x;
    }
}
