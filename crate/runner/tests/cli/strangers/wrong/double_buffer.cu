// launch: --grid 1 --block 64 --arg f32[512]=random:1 --arg f32[64]=zero --arg i32=8
// finds: race
__global__ void stream(const float* in, float* out, int tiles) {
    __shared__ float buf[2][64];
    int t = threadIdx.x;
    float acc = 0.f;
    buf[0][t] = in[t];
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) buf[(k + 1) & 1][t] = in[(k + 1) * 64 + t]; //!
        if (k == 0) __syncthreads();
        acc += buf[k & 1][63 - t]; //!
    }
    out[t] = acc;
}
