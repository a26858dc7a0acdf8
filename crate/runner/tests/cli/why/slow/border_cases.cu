// launch: --grid 64 --block 8,8 --arg f32[4096]=random:1 --arg f32[4096]=zero
// first: divergence 8
__global__ void edges(const float* in, float* out) {
    int x = threadIdx.x, y = threadIdx.y;
    int at = blockIdx.x * 64 + y * 8 + x;
    float v = in[at];
    bool inner = x > 0 && x < 7 && y > 0 && y < 7;
    if (inner) {
        for (int k = 0; k < 24; ++k) v = 0.9f * v + 0.01f * k;
    } else {
        for (int k = 0; k < 24; ++k) v = v / (1.0f + v);
    }
    out[at] = v;
}
