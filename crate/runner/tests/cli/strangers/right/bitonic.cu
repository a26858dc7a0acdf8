// launch: --grid 1 --block 64 --arg i32[64]=random:1
__global__ void sort(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            int p = t ^ j;
            if (p > t && (s[t] > s[p]) == ((t & k) == 0)) { int x = s[t]; s[t] = s[p]; s[p] = x; }
        }
    __syncthreads();
    d[t] = s[t];
}
