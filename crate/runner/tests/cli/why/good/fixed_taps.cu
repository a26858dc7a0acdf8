// launch: --grid 16 --block 256 --arg f32[4128]=random:7 --arg f32[4096]=zero
__constant__ float taps[16];
__global__ void fir(const float* in, float* out) {
    __shared__ float s[256 + 16];
    int base = blockIdx.x * 256;
    for (int k = threadIdx.x; k < 272; k += 256) s[k] = in[base + k];
    __syncthreads();
    float v = 0;
    for (int k = 0; k < 16; ++k) v += taps[k] * s[threadIdx.x + k];
    out[base + threadIdx.x] = v;
}
