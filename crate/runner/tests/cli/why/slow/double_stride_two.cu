// launch: --grid 8 --block 128 --arg f64[2048]=random:6 --arg f64[1024]=zero
// first: bank_conflict 9
__global__ void haar(const double* in, double* out) {
    __shared__ double s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    s[t + 128] = in[blockIdx.x * 256 + t + 128];
    __syncthreads();
    double mean = 0.5 * (s[2 * t] + s[2 * t + 1]);
    out[blockIdx.x * 128 + t] = mean;
}
