// launch: --grid 16 --block 256 --arg f32[4097]=random:8 --arg f32[4096]=zero
__global__ void diff(const float* x, float* d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float here = x[i];
    float next = x[i + 1];
    d[i] = next - here;
}
