// launch: --grid 16 --block 128 --arg f32[2048]=random:9 --arg f32[512]=zero
// first: divergence 8
__global__ void group(const float* x, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float s[128];
    s[threadIdx.x] = x[i];
    __syncthreads();
    if (threadIdx.x % 4 == 0) {
        float a = s[threadIdx.x];
        for (int k = 0; k < 30; ++k)
            a = 0.5f * (a + s[threadIdx.x + (k & 3)] / a);
        out[i / 4] = a;
    }
}
