// launch: --grid 16 --block 128 --arg f32[2048]=random:7 --arg f32[2048]=zero
// first: divergence 6
__global__ void newton(const float* a, float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float c = a[i] * a[i] * a[i] * 1000.0f, r = 1.0f;
    while (fabsf(r * r - c) > 1e-3f * c + 1e-6f) {
        r = 0.9f * r + 0.1f * c / r;
    }
    x[i] = r;
}
