// launch: --grid 2 --block 64 --arg f32[100]=random:1 --arg f32[128]=zero --arg i32=100
// finds: barrier_divergence
__global__ void neighbours(const float* in, float* out, int n) {
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0.f;
    if (i < n) {
        s[threadIdx.x] = in[i];
        __syncthreads(); //!
        v = s[threadIdx.x ? threadIdx.x - 1 : 0];
    }
    out[i] = v;
}
