// launch: --grid 8 --block 128 --arg u32[1024]=random:5 --arg f32[65536]=iota --arg f32[1024]=zero
// first: scattered 9
__global__ void walk(const unsigned* seed, const float* field, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = seed[i];
    float total = 0;
    for (int k = 0; k < 16; ++k) {
        s = s * 1103515245u + 12345u;
        total += field[s >> 16];
    }
    out[i] = total;
}
