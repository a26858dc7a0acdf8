// launch: --grid 1 --block 64 --arg i32[64]=random:9 --arg i32[1]=zero
// minimum over a ring by relaxation until nothing changes
__global__ void spread(const int* in, int* rounds) {
    __shared__ int s[64];
    int t = threadIdx.x, k = 0;
    s[t] = in[t];
    __syncthreads();
    int changed;
    do {
        int v = min(s[t], min(s[(t + 1) % 64], s[(t + 63) % 64]));
        int mine = v != s[t];
        changed = __syncthreads_or(mine);
        s[t] = v;
        ++k;
        __syncthreads();
    } while (changed);
    if (t == 0) *rounds = k;
}
