// launch: --grid 4 --block 128 --arg i32[1024]=random:3
// first: bank_conflict 12
__global__ void sort256(int* data) {
    __shared__ int s[256];
    int t = threadIdx.x, base = blockIdx.x * 256;
    s[t] = data[base + t];
    s[t + 128] = data[base + t + 128];
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            int a = 2 * t - (t & (j - 1)), b = a + j;
            int x = s[a], y = s[b];
            bool up = (a & k) == 0;
            s[a] = up ? min(x, y) : max(x, y);
            s[b] = up ? max(x, y) : min(x, y);
        }
    __syncthreads();
    data[base + t] = s[t];
    data[base + t + 128] = s[t + 128];
}
