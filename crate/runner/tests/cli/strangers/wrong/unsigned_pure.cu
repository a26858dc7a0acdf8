// launch: --grid 1 --block 32 --arg u32[32]=zero --arg u32=9
// finds: endless_loop
__global__ void weights(unsigned* out, unsigned n) {
    unsigned h = threadIdx.x;
    for (unsigned i = n; i >= 0; i -= 2) //!
        h = h * 31 + i; //!
    out[threadIdx.x] = h;
}
