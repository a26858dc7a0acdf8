// launch: --grid 8 --block 192 --arg f64[1500]=random:1 --arg f64[1500]=random:2 --arg f64=0.5 --arg i32=1500
__global__ void axpy(const double* x, double* y, double a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
