// launch: --grid 1 --block 64 --arg f32[64]=random:1 --arg i32[64]=zero
union Scratch { float values[64]; int ranks[64]; };
__global__ void rank(const float* in, int* out) {
    __shared__ Scratch u;
    int t = threadIdx.x;
    u.values[t] = in[t];
    __syncthreads();
    int r = 0;
    for (int j = 0; j < 64; ++j) r += u.values[j] < u.values[t] || (u.values[j] == u.values[t] && j < t);
    __syncthreads();
    u.ranks[r] = t;
    __syncthreads();
    out[t] = u.ranks[t];
}
