// launch: --grid 4 --block 64 --arg f64[4096]=random:4 --arg f64[256]=zero
// first: bank_conflict 8
__global__ void rows(const double* in, double* out) {
    __shared__ double s[64 * 16];
    for (int k = 0; k < 16; ++k) s[k * 64 + threadIdx.x] = in[blockIdx.x * 1024 + k * 64 + threadIdx.x];
    __syncthreads();
    double sum = 0;
    for (int k = 0; k < 16; ++k) sum += s[threadIdx.x * 16 + k];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
