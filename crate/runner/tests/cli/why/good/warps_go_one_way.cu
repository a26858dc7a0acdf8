// launch: --grid 16 --block 128 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=40
__global__ void by_warp(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if ((threadIdx.x / 32) & 1) for (int j = 0; j < n; ++j) x = x * 1.5f + 2.0f;
    else for (int j = 0; j < n; ++j) x = x * 0.5f - 2.0f;
    out[i] = x;
}
