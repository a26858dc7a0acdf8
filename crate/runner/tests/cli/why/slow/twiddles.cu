// launch: --grid 16 --block 128 --arg f32[4096]=random:8 --arg f32[4096]=zero
// first: constant 6
__constant__ float2 W[128];
__global__ void twiddle(const float2* in, float2* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 w = W[threadIdx.x];
    float2 z = in[i];
    out[i] = make_float2(z.x * w.x - z.y * w.y, z.x * w.y + z.y * w.x);
}
