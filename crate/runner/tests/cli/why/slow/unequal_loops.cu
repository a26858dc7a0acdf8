// launch: --grid 16 --block 128 --arg u32[2048]=random:9 --arg u32[2048]=zero
// first: divergence 6
__global__ void steps(const unsigned* in, unsigned* out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i] >> 20, count = 0;
    while (x > 1) { x = x % 3 == 0 ? x / 3 : x - 1; ++count; }
    out[i] = count;
}
