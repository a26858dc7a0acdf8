// launch: --grid 1 --block 32 --arg u8[192]=random:1 --arg f32[32]=zero
// finds: misaligned
// records of 6 bytes: u16 id, f32 value
__global__ void parse(const unsigned char* rec, float* out) {
    __shared__ __align__(16) unsigned char s[192];
    for (int i = threadIdx.x; i < 192; i += 32) s[i] = rec[i];
    __syncthreads();
    const unsigned char* r = s + threadIdx.x * 6;
    out[threadIdx.x] = *reinterpret_cast<const float*>(r + 2); //!
}
