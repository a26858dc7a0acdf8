// launch: --grid 8 --block 256 --arg u8[8192]=random:7 --arg u8[8192]=zero
__global__ void invert(const uchar4* in, uchar4* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 p = in[i];
    out[i] = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, p.w);
}
