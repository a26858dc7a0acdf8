// launch: --grid 16 --block 256 --arg struct{f32=2,f32=1,i32=4096} --arg f32[4096]=random:2 --arg f32[4096]=zero
struct Params { float a, b; int n; };
__global__ void affine(Params p, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) y[i] = p.a * x[i] + p.b;
}
