// launch: --grid 16 --block 256 --arg f32[4096]=random:3 --arg f32[4096]=zero --arg i32=4096
__global__ void smooth(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0f;
}
