// launch: --grid 20 --block 256 --arg f32[5000]=random:1 --arg f32[5000]=random:2 --arg f32[5000]=zero --arg i32=5000
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
