// launch: --grid 4,8 --block 16,16 --arg f32[8192]=random:2 --arg f32[8192]=zero --arg i32=64 --arg i32=128
// first: stride 8
__global__ void brighten(const float* img, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int id = x * height + y;
        float p = img[id] * 1.2f + 0.1f;
        out[id] = p > 1.0f ? 1.0f : p;
    }
}
