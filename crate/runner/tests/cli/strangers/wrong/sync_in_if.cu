// launch: --grid 2 --block 64 --arg f32[100]=random:1 --arg f32[100]=zero --arg i32=100
// finds: barrier_divergence
__global__ void neighbours(const float* in, float* out, int n) {
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        s[threadIdx.x] = in[i];
        __syncthreads(); //!
        out[i] = s[threadIdx.x ? threadIdx.x - 1 : 0];
    }
}
