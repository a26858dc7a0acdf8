// launch: --grid 16 --block 256 --arg u8[4096]=random:3 --arg u32[26]=zero --arg i32=4096
// first: atomic 8
__global__ void countLetters(const char* text, unsigned int* counts, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    while (i < length) {
        unsigned char c = text[i];
        atomicAdd(&counts[c % 26], 1u);
        i += stride;
    }
}
