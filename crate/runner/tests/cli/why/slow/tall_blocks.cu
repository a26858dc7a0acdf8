// launch: --grid 64,2 --block 1,64 --arg f32[8192]=random:4 --arg f32[8192]=zero --arg i32=64
// first: stride 6
__global__ void invert(const float* img, float* out, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = 1.0f - img[y * width + x];
}
