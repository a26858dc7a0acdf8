// launch: --grid 1 --block 33 --arg f32[33]=iota --arg f32[33]=zero
// finds: out_of_bounds
__global__ void two(const float* in, float* out) {
    __shared__ float a[32];
    __shared__ float b[64];
    b[threadIdx.x] = 0.f;
    __syncthreads();
    a[threadIdx.x] = in[threadIdx.x]; //!
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; //!
}
