// launch: --grid 1 --block 64 --arg f32[128]=random:1 --arg f32[2]=zero
__device__ void warpReduce(volatile float* s, int l) {
    float v = s[l];
    v += s[l + 32]; __syncwarp(); s[l] = v; __syncwarp();
    for (int o = 16; o > 0; o /= 2) {
        v += s[l ^ o]; __syncwarp();
        s[l] = v; __syncwarp();
    }
}
__global__ void sum(const float* in, float* out) {
    __shared__ float s[2][64];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    s[w][l] = in[w * 64 + l];
    s[w][l + 32] = in[w * 64 + l + 32];
    __syncwarp();
    warpReduce(s[w], l);
    if (l == 0) out[w] = s[w][0];
}
