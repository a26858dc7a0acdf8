// launch: --grid 20 --block 5,4 --arg f32[400]=random:4 --arg f32[400]=zero --arg i32=20
// first: partial_warp 0
__global__ void smooth(const float* in, float* out, int n) {
    int at = blockIdx.x * 20 + threadIdx.y * 5 + threadIdx.x;
    float v = in[at];
    for (int k = 0; k < n; ++k) v = 0.5f * v + 1.0f / (1.0f + v);
    out[at] = v;
}
