// launch: --grid 8 --block 64 --arg f64[2048]=random:7 --arg f64[2048]=zero
// first: bank_conflict 9
__global__ void butterfly(const double2* in, double2* out) {
    __shared__ double2 z[128];
    int t = threadIdx.x;
    z[t] = in[blockIdx.x * 128 + t];
    z[t + 64] = in[blockIdx.x * 128 + 64 + t];
    __syncthreads();
    double re = z[2 * t].x + z[2 * t + 1].x;
    double im = z[2 * t].y + z[2 * t + 1].y;
    __syncthreads();
    out[blockIdx.x * 128 + t] = make_double2(re, im);
    out[blockIdx.x * 128 + 64 + t] = make_double2(re, -im);
}
