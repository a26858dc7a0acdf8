// launch: --grid 4 --block 128 --arg u8[16384]=random:6 --arg u32[8192]=zero
// first: local_array 8
__global__ void counts(const unsigned char* data, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = gridDim.x * blockDim.x;
    unsigned h[16] = {0};
    for (int k = 0; k < 32; k++)
        h[data[k * n + i] & 15]++;
    for (int b = 0; b < 16; b++)
        out[b * n + i] = h[b];
}
