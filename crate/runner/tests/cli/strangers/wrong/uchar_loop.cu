// launch: --grid 1 --block 32 --arg i32[256]=iota --arg i32[32]=zero
// finds: endless_loop
__global__ void table(const int* lut, int* out) {
    int s = 0;
    for (unsigned char i = 0; i < 256; ++i) //!
        s += lut[i] * threadIdx.x; //!
    out[threadIdx.x] = s;
}
