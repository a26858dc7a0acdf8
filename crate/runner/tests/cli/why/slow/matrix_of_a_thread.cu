// launch: --grid 8 --block 64 --arg f32[512]=random:6 --arg f32[512]=zero --arg i32=3
// first: local_array 8
__global__ void power(const float* in, float* out, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[4] = {in[i], 1, 2, 3};
    int at = 0;
    for (int k = 0; k < steps * 10; ++k) {
        v[at] = v[at] * 0.5f + v[(at + 1) & 3];
        at = (at + 3) & 3;
    }
    out[i] = v[steps];
}
