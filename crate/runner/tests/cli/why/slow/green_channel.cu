// launch: --grid 16 --block 256 --arg f32[12288]=random:3 --arg f32[4096]=zero
// first: stride 5
__global__ void green(const float* rgb, float* g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g[i] = rgb[3 * i + 1];
}
