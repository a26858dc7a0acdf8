// launch: --grid 16 --block 128 --arg u32[2048]=random:6 --arg f32[2048]=zero
// first: local_array 10
__global__ void pick(const unsigned* which, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float table[10];
    for (int k = 0; k < 10; ++k) table[k] = i * 0.5f + k;
    float s = 0;
    unsigned w = which[i];
    for (int k = 0; k < 8; ++k) {
        s += table[(w >> (4 * k)) % 10];
    }
    out[i] = s;
}
