// launch: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
// finds: barrier_divergence
__global__ void rounds(const int* count, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, acc = 0;
    for (int r = 0; r < count[t] / 16 + 1; ++r) {
        s[t] = r + t;
        __syncthreads(); //!
        acc += s[t ^ 1];
        __syncthreads(); //!
    }
    out[t] = acc;
}
