// launch: --grid 16 --block 256 --arg struct{f32[4096]=random:1,f32[4096]=random:2,f32[4096]=zero} --arg i32=4096
struct Bodies { const float* x; const float* v; float* out; };
__global__ void step(Bodies b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b.out[i] = b.x[i] + 0.01f * b.v[i];
}
