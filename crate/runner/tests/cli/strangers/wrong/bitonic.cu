// launch: --grid 1 --block 48 --arg i32[48]=random:1
// finds: out_of_bounds
__global__ void sort(int* d) {
    __shared__ int s[48];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int p = t ^ j;
            if (p > t) {
                bool up = (t & k) == 0;
                if ((s[t] > s[p]) == up) { //!
                    int x = s[t]; s[t] = s[p]; s[p] = x;
                }
            }
            __syncthreads();
        }
    d[t] = s[t];
}
