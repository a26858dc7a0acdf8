// launch: --grid 16 --block 256 --arg f32[4096]=random:7 --arg f32[4096]=random:8 --arg f32[1]=zero --arg i32=4096
// first: atomic 6
__global__ void dot(const float* a, const float* b, float* result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(result, a[i] * b[i]);
}
