// launch: --grid 16 --block 128 --arg u32[2048]=random:9 --arg f32[2048]=zero
// first: constant 6
__constant__ float table[64];
__global__ void lookup(const unsigned* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[in[i] >> 26] + table[in[i] & 63];
}
