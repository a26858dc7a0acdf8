// launch: --grid 4,16 --block 32,8 --arg f32[16384]=random:1 --arg f32[16384]=zero --arg i32=128 --arg i32=128
__constant__ float mask[3][3];
__global__ void convolve(const float* in, float* out, int w, int h) {
    __shared__ float t[10][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        int y = min(max(y0 + k / 34, 0), h - 1), x = min(max(x0 + k % 34, 0), w - 1);
        t[k / 34][k % 34] = in[y * w + x];
    }
    __syncthreads();
    float s = 0;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) s += mask[j][i] * t[threadIdx.y + j][threadIdx.x + i];
    out[(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x] = s;
}
