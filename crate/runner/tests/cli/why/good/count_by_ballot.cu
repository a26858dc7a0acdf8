// launch: --grid 16 --block 256 --arg f32[32768]=random:4 --arg i32[1]=zero
__global__ void count(const float* x, int* n) {
    int mine = 0;
    for (int k = 0; k < 8; ++k) mine += x[(blockIdx.x * 8 + k) * 256 + threadIdx.x] > 0.5f;
    for (int d = 16; d; d >>= 1) mine += __shfl_down_sync(~0u, mine, d);
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(n, total);
}
