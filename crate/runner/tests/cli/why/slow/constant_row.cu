// launch: --grid 8 --block 64 --arg u8[512]=random:1 --arg f32[512]=zero
// first: constant 7
__constant__ float prices[16][4];
__global__ void bill(const unsigned char* item, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += prices[item[i] & 15][k];
    out[i] = sum;
}
