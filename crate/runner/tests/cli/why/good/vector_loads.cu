// launch: --grid 16 --block 128 --arg f32[8192]=iota --arg f32[8192]=zero
__global__ void scale(const float4* in, float4* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
