// launch: --grid 16 --block 128 --arg f32[2048]=random:8 --arg f32[2048]=zero --arg i32=50
// first: divergence 6
__global__ void evenOdd(const float* in, float* out, int iterations) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    if (threadIdx.x % 2 == 0) {
        for (int k = 0; k < iterations; k++) v = sinf(v) + 0.5f;
    } else {
        for (int k = 0; k < iterations; k++) v = sqrtf(v + 1.0f);
    }
    out[i] = v;
}
