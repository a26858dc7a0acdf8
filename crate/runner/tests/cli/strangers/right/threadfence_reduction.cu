// launch: --grid 8 --block 64 --arg f32[1000]=random:1 --arg f32[8]=zero --arg u32[1]=zero --arg f32[1]=zero --arg i32=1000
__device__ float blockSum(float v) {
    __shared__ float s[2];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x == 0 ? s[0] + s[1] : 0.f;
    __syncthreads();
    return v;
}
__global__ void reduce(const float* in, volatile float* part, unsigned* ticket, float* out, int n) {
    __shared__ bool last;
    float v = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
    v = blockSum(v);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = v;
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        float t = threadIdx.x < gridDim.x ? part[threadIdx.x] : 0.f;
        t = blockSum(t);
        if (threadIdx.x == 0) *out = t;
    }
}
