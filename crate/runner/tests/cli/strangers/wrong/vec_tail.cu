// launch: --grid 1 --block 64 --arg f32[250]=random:1 --arg f32[252]=zero --arg i32=250 --arg struct{f32=2}
// finds: out_of_bounds
struct Params { float scale; };
__global__ void scale4(const float* in, float* out, int n, Params p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int vectors = (n + 3) / 4;
    if (i >= vectors) return;
    float4 v = reinterpret_cast<const float4*>(in)[i]; //!
    v.x *= p.scale; v.y *= p.scale; v.z *= p.scale; v.w *= p.scale;
    reinterpret_cast<float4*>(out)[i] = v;
}
