// launch: --grid 4 --block 64 --arg f32[256]=random:1 --arg f32[256]=zero --arg u32[1]=zero --arg f32[1]=zero
// finds: race,uninitialized
__global__ void last(const float* in, float* tmp, unsigned* done, float* out) {
    __shared__ bool isLast;
    int i = blockIdx.x * 64 + threadIdx.x;
    tmp[i] = in[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) isLast = atomicAdd(done, 1u) == gridDim.x - 1; //!
    if (isLast) { //!
        __threadfence();
        if (threadIdx.x == 33) *out = tmp[0] + tmp[255];
    }
}
