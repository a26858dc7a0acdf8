// launch: --grid 2 --block 64 --arg f32[100]=random:1 --arg f32[4]=zero --arg i32=100
__global__ void sums(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned m = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;
    float v = in[i];
    int lane = threadIdx.x % 32, count = __popc(m);
    float s = 0.f;
    for (int k = 0; k < count; ++k) s += __shfl_sync(m, v, k);
    if (lane == 0) out[i / 32] = s;
}
