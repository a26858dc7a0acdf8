//# block 32
__constant__ unsigned table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
extern "C" __global__ void test(const unsigned char* data, unsigned* out, int items, int width)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= items) return;
    const unsigned char* p = data + i * width;
    unsigned crc = ~0u;
    while (width--) {
        crc ^= *p++;
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    out[i] = ~crc;
}
