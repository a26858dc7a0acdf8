// launch: --grid 2 --block 64 --arg f32[16384]=random:3 --arg f32[128]=zero --arg i32=128
// first: stride 5
__global__ void diag(const float* m, float* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = m[i * n + i];
}
