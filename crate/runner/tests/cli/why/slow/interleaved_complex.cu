// launch: --grid 8 --block 256 --arg f32[4096]=random:5 --arg f32[2048]=zero
// first: stride 5
__global__ void power(const float* iq, float* p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float re = iq[2 * i];
    float im = iq[2 * i + 1];
    p[i] = re * re + im * im;
}
