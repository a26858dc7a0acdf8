// launch: --grid 16 --block 128 --arg f32[2051]=iota --arg f32[2048]=zero
// first: offset 6
__global__ void average(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float* from = in + 3;
    float here = from[i];
    out[i] = 0.5f * here;
}
