// launch: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
// finds: race
__global__ void scan(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        int v = 0;
        if (t >= d) v = s[t - d]; //!
        s[t] += v; //!
        __syncthreads();
    }
    out[t] = s[t];
}
