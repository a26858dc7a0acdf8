// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
__global__ void f(const int* in, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 12) {
        s[t] = in[t];
        __syncwarp(0xfff);
        out[t] = s[11 - t];
    } else {
        unsigned m = __activemask();
        s[t] = in[t] + 1;
        __syncwarp(m);
        out[t] = s[t];
    }
}
