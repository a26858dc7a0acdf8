// launch: --grid 8 --block 256 --arg f32[16384]=random:3 --arg i32[1]=zero
__global__ void largest(const float* x, int* out) {
    float m = 0;
    for (int k = 0; k < 8; ++k) m = fmaxf(m, x[(blockIdx.x * 8 + k) * 256 + threadIdx.x]);
    for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    __shared__ float best[8];
    if ((threadIdx.x & 31) == 0) best[threadIdx.x >> 5] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) m = fmaxf(m, best[k]);
        atomicMax(out, __float_as_int(m));
    }
}
