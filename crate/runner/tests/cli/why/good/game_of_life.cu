// launch: --grid 4,16 --block 32,8 --arg u8[16384]=random:3 --arg u8[16384]=zero --arg i32=128 --arg i32=128
__global__ void life(const unsigned char* in, unsigned char* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int n = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy) n += in[((y + dy + h) % h) * w + (x + dx + w) % w] & 1;
    out[y * w + x] = n == 3 || (n == 2 && (in[y * w + x] & 1));
}
