// launch: --grid 16 --block 256 --arg f32[16384]=random:6 --arg f32[1]=zero --arg i32=16384
__device__ float warpSum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}
__global__ void sum(const float* in, float* out, int n) {
    __shared__ float part[8];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += in[i];
    v = warpSum(v);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < 8 ? part[threadIdx.x] : 0.0f;
        v = warpSum(v);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}
