// launch: --grid 8 --block 256 --arg f32[4096]=random:8 --arg f32[4096]=zero
__global__ void conjugate(const float2* z, float2* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = z[i];
    v.y = -v.y;
    out[i] = v;
}
