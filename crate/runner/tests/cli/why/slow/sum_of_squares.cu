// launch: --grid 16 --block 256 --arg f64[4096]=random:1 --arg f64[1]=zero --arg i32=4096
// first: atomic 7
__global__ void norm(const double* x, double* result, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    double square = x[i] * x[i];
    atomicAdd(result, square);
}
