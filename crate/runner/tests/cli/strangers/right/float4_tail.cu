// launch: --grid 1 --block 64 --arg f32[250]=random:1 --arg f32[250]=zero --arg i32=250
__global__ void scale(const float* __restrict__ in, float* __restrict__ out, int n) {
    int t = threadIdx.x;
    for (int i = t; i < n / 4; i += blockDim.x) {
        float4 v = reinterpret_cast<const float4*>(in)[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
    int r = n / 4 * 4 + t;
    if (r < n) out[r] = 2 * in[r];
}
