// launch: --grid 8 --block 128 --arg f64[1024]=iota --arg f64[1024]=zero
__global__ void reverse(const double* in, double* out) {
    __shared__ double part[128];
    part[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = part[127 - threadIdx.x];
}
