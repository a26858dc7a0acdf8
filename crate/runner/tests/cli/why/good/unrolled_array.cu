// launch: --grid 16 --block 128 --arg f32[8192]=iota --arg f32[2048]=zero
__global__ void largest(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value[4];
    for (int j = 0; j < 4; ++j) value[j] = in[i + 2048 * j];
    float most = value[0];
    for (int j = 1; j < 4; ++j) most = fmaxf(most, value[j]);
    out[i] = most;
}
