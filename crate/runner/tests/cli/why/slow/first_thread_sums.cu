// launch: --grid 16 --block 128 --arg f32[2048]=random:2 --arg f32[16]=zero
// first: divergence 7
__global__ void blockSum(const float* in, float* out) {
    __shared__ float s[128];
    s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < 128; k++)
            sum += s[k];
        out[blockIdx.x] = sum;
    }
}
