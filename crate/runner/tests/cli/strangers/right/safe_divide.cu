// launch: --grid 1 --block 32 --arg f32[32]=iota --arg i32[32]=iota --arg f32[32]=zero
__device__ int mean(int sum, int count) { return count > 0 ? sum / count : 0; }
__global__ void means(const float* x, const int* n, float* out) {
    int t = threadIdx.x, c = n[t] / 4;
    out[t] = mean((int)x[t], c) + (c && t % c == 0 ? 0.5f : 0.f);
}
