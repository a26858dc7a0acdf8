// launch: --grid 60 --block 36 --arg f32[2160]=iota --arg f32[2160]=zero --arg i32=12
// first: partial_warp 0
__global__ void polynomial(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = 0;
    for (int j = 0; j < n; ++j) y = y * x + 1.0f;
    out[i] = y;
}
