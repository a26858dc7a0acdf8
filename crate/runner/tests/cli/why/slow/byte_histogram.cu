// launch: --grid 32 --block 256 --arg u8[8192]=random:3 --arg u32[256]=zero
// first: atomic 6
__global__ void histogram(const unsigned char* image, unsigned* bins) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned char value = image[i];
    atomicAdd(bins + value, 1);
}
