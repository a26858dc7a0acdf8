// launch: --grid 4,16 --block 32,8 --arg f32[17000]=random:2 --arg f32[17000]=zero --arg i32=130
__global__ void blur(const float* in, float* out, int pitch) {
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    float c = in[y * pitch + x];
    float n = in[(y - 1) * pitch + x], s = in[(y + 1) * pitch + x];
    float w = in[y * pitch + x - 1], e = in[y * pitch + x + 1];
    out[(y - 1) * 128 + x - 1] = 0.2f * (c + n + s + w + e);
}
