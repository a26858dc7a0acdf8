// launch: --grid 16 --block 128 --arg f32[2048]=random:5 --arg f32[2048]=zero --arg i32=6
// first: local_array 4
__global__ void series(const float* x, float* y, int terms) {
    float c[8] = {1.0f, 0.5f, 0.16f, 0.04f, 0.008f, 0.0013f, 0.0002f, 0.00002f};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[terms & 7] += x[i];
    float s = 0, p = 1;
    for (int k = 0; k < terms; ++k) {
        s += c[k] * p;
        p *= x[i];
    }
    y[i] = s;
}
