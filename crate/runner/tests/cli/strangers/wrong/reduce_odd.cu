// launch: --grid 1 --block 96 --arg i32[96]=iota --arg i32[1]=zero
// finds: out_of_bounds,uninitialized,race
__global__ void sum(const int* in, int* out) {
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d]; //!
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
