// launch: --grid 1 --block 32 --arg i32[60]=iota --arg i32[60]=zero --arg i32=60
// finds: uninitialized
// Blelloch scan of n elements, padded to 64
__global__ void scan(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (2 * t < n) s[2 * t] = in[2 * t];
    if (2 * t + 1 < n) s[2 * t + 1] = in[2 * t + 1];
    int off = 1;
    for (int d = 32; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[off * (2 * t + 2) - 1] += s[off * (2 * t + 1) - 1]; //!
        off *= 2;
    }
    if (t == 0) s[63] = 0;
    for (int d = 1; d < 64; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1;
            int x = s[a]; s[a] = s[b]; s[b] += x;
        }
    }
    __syncthreads();
    if (2 * t < n) out[2 * t] = s[2 * t];
    if (2 * t + 1 < n) out[2 * t + 1] = s[2 * t + 1];
}
