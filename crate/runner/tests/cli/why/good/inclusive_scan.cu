// launch: --grid 4 --block 256 --arg f32[1024]=random:4 --arg f32[1024]=zero
__global__ void scan(const float* in, float* out) {
    __shared__ float s[2][256];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[blockIdx.x * 256 + t];
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        float v = s[now][t];
        if (t >= d) v += s[now][t - d];
        s[1 - now][t] = v;
        now = 1 - now;
    }
    out[blockIdx.x * 256 + t] = s[now][t];
}
