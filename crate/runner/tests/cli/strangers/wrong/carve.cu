// launch: --grid 1 --block 32 --shared 1024 --arg f64[32]=random:1 --arg f64[32]=zero --arg i32=37
// finds: misaligned
extern __shared__ char pool[];
__global__ void carve(const double* in, double* out, int nflags) {
    char* flags = pool;
    double* vals = (double*)(pool + nflags);
    int t = threadIdx.x;
    flags[t] = in[t] > 0.5;
    vals[t] = in[t]; //!
    __syncthreads();
    out[t] = flags[t] ? vals[t ^ 1] : 0.0;
}
