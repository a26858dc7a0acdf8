// launch: --grid 1 --block 32 --arg f32[132]=iota --arg f32[128]=zero
// finds: misaligned
__global__ void shift(const float* in, float* out) {
    const float4* p = reinterpret_cast<const float4*>(in + 1);
    float4 v = p[threadIdx.x]; //!
    reinterpret_cast<float4*>(out)[threadIdx.x] = v;
}
