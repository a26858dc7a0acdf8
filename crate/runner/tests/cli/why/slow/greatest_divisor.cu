// launch: --grid 16 --block 128 --arg u32[2048]=random:3 --arg u32[2048]=random:4 --arg u32[2048]=zero
// first: divergence 6
__global__ void gcd(const unsigned* a, const unsigned* b, unsigned* g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i], y = b[i];
    while (y != 0) {
        unsigned t = x % y;
        x = y;
        y = t;
    }
    g[i] = x;
}
