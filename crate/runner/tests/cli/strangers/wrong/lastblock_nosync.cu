// launch: --grid 6 --block 64 --arg f32[384]=random:1 --arg f32[384]=zero --arg u32[1]=zero --arg f32[64]=zero
// finds: race
__global__ void columns(const float* in, float* tmp, unsigned* done, float* out) {
    __shared__ unsigned ticket;
    int i = blockIdx.x * 64 + threadIdx.x;
    tmp[i] = in[i] * in[i]; //!
    if (threadIdx.x == 0) {
        __threadfence(); //!
        ticket = atomicAdd(done, 1u); //!
    }
    __syncthreads();
    if (ticket == gridDim.x - 1) {
        float s = 0.f;
        for (unsigned b = 0; b < gridDim.x; ++b) s += tmp[b * 64 + threadIdx.x]; //!
        out[threadIdx.x] = s;
    }
}
