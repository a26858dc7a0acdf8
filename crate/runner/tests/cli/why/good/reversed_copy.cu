// launch: --grid 16 --block 256 --arg f32[4096]=random:6 --arg f32[4096]=zero --arg i32=4096
__global__ void reverse(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}
