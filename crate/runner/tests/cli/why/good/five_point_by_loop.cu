// launch: --grid 16 --block 256 --arg f32[4104]=random:7 --arg f32[4096]=zero
__constant__ float w[5];
__global__ void fir(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 5; ++k) s += w[k] * in[i + k];
    out[i] = s;
}
