// launch: --grid 16 --block 128 --arg f32[2048]=iota --arg f32[2048]=zero
// first: constant 6
__constant__ float weights[128];
__global__ void weighted(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weights[threadIdx.x];
}
