// launch: --grid 1 --block 64 --arg i32[64]=iota
// finds: barrier_divergence
__global__ void phases(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t % 2 == 0) {
        s[t] = d[t];
        __syncthreads(); //!
        d[t] = s[t + 1];
    } else {
        s[t] = -d[t];
        __syncthreads(); //!
        d[t] = s[t - 1] * 2;
    }
}
