// launch: --grid 16 --block 256 --arg f32[8192]=random:7 --arg f32[16]=zero
__global__ void reduce3(const float* in, float* out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 512 + t;
    s[t] = in[i] + in[i + 256];
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
