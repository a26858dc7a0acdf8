// launch: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
// finds: race
__device__ int rotate(volatile int* s, int v) {
    int l = threadIdx.x & 31;
    s[l] = v; //!
    return s[(l + 1) & 31]; //!
}
__global__ void warps(const int* in, int* out) {
    __shared__ int s[2][32];
    int v = in[threadIdx.x];
    for (int k = 0; k < 3; ++k) {
        v = rotate(s[threadIdx.x / 32], v); //!
        __syncwarp();
    }
    out[threadIdx.x] = v;
}
