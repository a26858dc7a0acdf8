// launch: --grid 1 --block 64 --arg f32[64]=random:1 --arg f32[64]=zero --arg f32[64]=zero
// finds: race
__global__ void twoPhase(const float* in, float* tmp, float* out) {
    tmp[threadIdx.x] = in[threadIdx.x] * 2.f; //!
    __syncthreads();
    out[threadIdx.x] = __ldg(&tmp[63 - threadIdx.x]); //!
}
