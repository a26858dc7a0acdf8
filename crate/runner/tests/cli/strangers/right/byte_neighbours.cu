// launch: --grid 2 --block 32 --arg u8[64]=zero --arg f32[64]=random:1
__global__ void flags(unsigned char* f, const float* x) {
    __shared__ unsigned char s[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    s[threadIdx.x] = x[i] > 0.5f;
    __syncwarp();
    f[i] = s[threadIdx.x ^ 1];
}
