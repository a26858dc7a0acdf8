// launch: --grid 8 --block 64 --arg f64[2048]=random:1 --arg f64[512]=zero
// first: stride 5
__global__ void decimate(const double* signal, double* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = signal[i * 4];
}
