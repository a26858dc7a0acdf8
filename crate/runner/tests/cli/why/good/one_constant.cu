// launch: --grid 16 --block 128 --arg f32[2048]=iota --arg f32[2048]=zero
__constant__ float taps[5];
__global__ void filter(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += taps[k] * in[i];
    out[i] = sum;
}
