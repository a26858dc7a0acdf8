// launch: --grid 1 --block 32 --arg f32[32]=random:1 --arg f32[32]=zero --arg f32[32]=zero
// finds: race
__global__ void f(const float* in, float* tmp, float* out) {
    int t = threadIdx.x;
    tmp[t] = in[t]; //!
    __syncwarp();
    out[t] = __ldg(&tmp[31 - t]); //!
}
