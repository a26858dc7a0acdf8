// launch: --grid 2,16 --block 32,4 --arg f32[16384]=random:2 --arg f32[4096]=zero --arg i32=64
__global__ void pool(const float2* in, float* out, int w) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    float2 a = in[2 * y * w + x], b = in[(2 * y + 1) * w + x];
    out[y * w + x] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}
