// launch: --grid 64 --block 128 --arg u32[64]=random:5 --arg f32[32768]=random:6 --arg f32[8192]=zero
__global__ void gather(const unsigned* tokens, const float* table, float* out) {
    unsigned row = tokens[blockIdx.x] & 255;
    out[blockIdx.x * 128 + threadIdx.x] = table[row * 128 + threadIdx.x];
}
