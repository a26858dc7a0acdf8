// launch: --grid 40 --block 64 --arg f32[2600]=iota --arg f32[2600]=zero
// first: offset 5
__global__ void scale_rows(const float* in, float* out) {
    int row = blockIdx.x, column = threadIdx.x;
    out[row * 65 + column] = in[row * 65 + column] * row;
}
