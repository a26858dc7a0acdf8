// launch: --grid 2 --block 128 --arg f32[256]=random:1 --arg f32[2]=zero
// finds: race
__global__ void reduce(const float* in, float* out) {
    __shared__ float s[128];
    s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2)
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; //!
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
