// launch: --grid 32 --block 256 --arg u8[24576]=random:1 --arg u8[8192]=zero --arg i32=8192
// first: structure 12
struct Pixel {
    unsigned char r;
    unsigned char g;
    unsigned char b;
};

__global__ void toGray(const Pixel* img, unsigned char* gray, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        gray[idx] = (unsigned char)(0.299f * img[idx].r + 0.587f * img[idx].g + 0.114f * img[idx].b);
    }
}
