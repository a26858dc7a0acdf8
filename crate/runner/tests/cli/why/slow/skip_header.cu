// launch: --grid 16 --block 256 --arg u8[16400]=random:2 --arg u32[4096]=zero
// first: offset 6
__global__ void payload(const unsigned char* packet, unsigned* words) {
    const unsigned* data = (const unsigned*)(packet + 12);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    words[i] = data[i];
}
