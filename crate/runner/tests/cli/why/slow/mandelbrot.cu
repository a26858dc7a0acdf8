// launch: --grid 8,32 --block 16,8 --arg u32[32768]=zero --arg i32=128 --arg i32=200
// first: divergence 13
__global__ void mandel(unsigned* out, int w, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.0f + 3.0f * px / w, cy = -1.5f + 3.0f * py / 256;
    float x = 0, y = 0;
    int k = 0;
    for (; k < limit; ++k) {
        float xx = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = xx;
        if (x * x + y * y > 4.0f) break;
    }
    out[py * w + px] = k;
}
