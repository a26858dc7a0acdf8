// launch: --grid 1 --block 32 --arg u8[192]=random:1 --arg u32[32]=zero
__global__ void parse(const unsigned char* rec, unsigned* out) {
    const unsigned char* r = rec + threadIdx.x * 6 + 2;
    unsigned v;
    memcpy(&v, r, 4);
    unsigned w = r[0] | r[1] << 8 | r[2] << 16 | (unsigned)r[3] << 24;
    out[threadIdx.x] = v == w;
}
