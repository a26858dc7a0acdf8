// launch: --grid 16 --block 128 --arg f64[4096]=random:3 --arg f64[2048]=zero
// first: structure 6
struct Complex { double re, im; };
__global__ void magnitude(const Complex* z, double* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double re = z[i].re;
    double im = z[i].im;
    out[i] = re * re + im * im;
}
