// launch: --grid 16 --block 256 --arg u8[16384]=random:4 --arg u8[16384]=zero
// first: structure 6
struct Rgba { unsigned char r, g, b, a; };
__global__ void swapRedBlue(const Rgba* in, Rgba* out) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    out[p].r = in[p].b;
    out[p].g = in[p].g;
    out[p].b = in[p].r;
    out[p].a = in[p].a;
}
