// launch: --grid 8 --block 64 --arg f32[512]=random:1 --arg f32[8]=zero --arg u32[1]=zero --arg f32[1]=zero
// finds: race
__device__ float blockSum(float v) {
    __shared__ float s[2];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    return s[0] + s[1];
}
__global__ void reduce(const float* in, float* part, unsigned* done, float* out) {
    __shared__ bool last;
    float v = blockSum(in[blockIdx.x * 64 + threadIdx.x]);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = v; //!
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float t = 0.f;
        for (unsigned b = 0; b < gridDim.x; ++b) t += part[b]; //!
        *out = t;
    }
}
