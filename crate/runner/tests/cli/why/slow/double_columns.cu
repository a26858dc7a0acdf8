// launch: --grid 4 --block 32 --arg f64[4096]=random:9 --arg f64[128]=zero
// first: bank_conflict 11
__global__ void rowSums(const double* in, double* sums) {
    __shared__ double m[32][32];
    int t = threadIdx.x;
    for (int r = 0; r < 32; r++)
        m[r][t] = in[blockIdx.x * 1024 + r * 32 + t];
    __syncthreads();
    double s = 0.0;
    for (int c = 0; c < 32; c++)
        s += m[t][c];
    sums[blockIdx.x * 32 + t] = s;
}
