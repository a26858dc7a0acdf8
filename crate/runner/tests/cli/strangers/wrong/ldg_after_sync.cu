// launch: --grid 1 --block 64 --arg f32[64]=random:1 --arg f32[64]=zero --arg f32[64]=zero
// finds: race
// a comment

__global__ void twoPhase(const float* in, float* tmp, float* out) {
    int t = threadIdx.x;
    float v = in[t];

    tmp[t] = v * 2.f; //!
    __syncthreads();
    out[t] = __ldg(&tmp[t < 32 ? t + 32 : t - 32]); //!
}
