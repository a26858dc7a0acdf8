// launch: --grid 2,2 --block 16,16 --arg f32[600]=random:1 --arg f32[600]=zero --arg i32=30 --arg i32=20
// finds: uninitialized
__global__ void blur(const float* in, float* out, int w, int h) {
    __shared__ float s[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) s[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    if (x < w && y < h) {
        float r = threadIdx.x < 15 ? s[threadIdx.y][threadIdx.x + 1] : 0.f; //!
        float d = threadIdx.y < 15 ? s[threadIdx.y + 1][threadIdx.x] : 0.f; //!
        out[y * w + x] = s[threadIdx.y][threadIdx.x] + r + d;
    }
}
