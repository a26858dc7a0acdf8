// launch: --grid 4,100 --block 256 --arg f32[89600]=random:6 --arg f32[89600]=zero --arg i32=896
__global__ void relu(const float* in, float* out, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float v = in[blockIdx.y * cols + c];
    out[blockIdx.y * cols + c] = v > 0.5f ? v : 0.0f;
}
