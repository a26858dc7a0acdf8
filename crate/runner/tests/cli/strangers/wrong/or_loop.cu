// launch: --grid 1 --block 64 --arg i32[64]=random:9 --arg i32[1]=zero
// finds: race
__global__ void spread(const int* in, int* rounds) {
    __shared__ int s[64];
    int t = threadIdx.x, k = 0;
    s[t] = in[t];
    __syncthreads();
    int changed;
    do {
        int v = min(s[t], min(s[(t + 1) % 64], s[(t + 63) % 64])); //!
        changed = __syncthreads_or(v != s[t]);
        s[t] = v; //!
        ++k;
    } while (changed);
    if (t == 0) *rounds = k;
}
