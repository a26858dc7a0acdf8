// launch: --grid 16 --block 128 --arg u8[2048]=random:9 --arg f32[2048]=random:1 --arg f32[2048]=zero
// first: divergence 6
__global__ void interpret(const unsigned char* op, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    switch (op[i] & 3) {
        case 0: for (int k = 0; k < 20; ++k) v = v * v + 0.1f; break;
        case 1: for (int k = 0; k < 20; ++k) v = 1.0f / (v + 1.0f); break;
        case 2: for (int k = 0; k < 20; ++k) v = sqrtf(v + 2.0f); break;
        default: for (int k = 0; k < 20; ++k) v = v - 0.3f * v * v; break;
    }
    y[i] = v;
}
