// launch: --grid 1 --block 64 --arg u8[8192]=random:2 --arg i32[64]=zero --arg i32=128
// first: stride 7
__global__ void rowBrightness(const unsigned char* image, int* sum, int width) {
    int y = threadIdx.x;
    int s = 0;
    for (int x = 0; x < width; ++x)
        s += image[y * width + x];
    sum[y] = s;
}
