// launch: --grid 1 --block 32 --arg u32[32]=zero
// finds: endless_loop
__global__ void f(unsigned* out) {
    unsigned x = threadIdx.x * 7, k = 0;
    do { x ^= x << 13; x ^= x >> 17; x ^= x << 5; ++k; } while ((x & 255) != 42); //!
    out[threadIdx.x] = k;
}
