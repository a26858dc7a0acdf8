// launch: --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=zero
// finds: barrier_divergence
__global__ void roles(const int* in, int* out) {
    __shared__ int s[96];
    int t = threadIdx.x, v = 0;
    switch (t / 32) {
        case 0: s[t] = in[t]; __syncthreads(); v = s[31 - t]; break; //!
        case 1: s[t] = in[t] * 2; v = 1; break;
        default: s[t] = in[t] * 3; __syncthreads(); v = s[t]; break; //!
    }
    if (t / 32 == 1) v += 1;
    out[t] = v;
}
