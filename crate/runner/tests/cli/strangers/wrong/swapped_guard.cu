// launch: --grid 3,2 --block 16,16 --arg u8[960]=random:1 --arg u8[960]=zero --arg i32=40 --arg i32=24
// finds: out_of_bounds
__global__ void invert(const unsigned char* in, unsigned char* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < h || y < w)
        out[y * w + x] = 255 - in[y * w + x]; //!
}
