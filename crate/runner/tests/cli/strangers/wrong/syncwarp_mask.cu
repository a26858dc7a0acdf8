// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: mask,race,barrier_divergence
__global__ void lower(const int* in, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp(0x00ffffff); //!
    out[t] = s[t ^ 1]; //!
}
