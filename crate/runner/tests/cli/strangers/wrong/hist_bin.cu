// launch: --grid 1 --block 64 --arg f32[64]=iota --arg i32[8]=zero --arg f32=0 --arg f32=63 --arg i32=64
// finds: out_of_bounds
#define BINS 8
__global__ void hist(const float* x, int* h, float lo, float hi, int n) {
    __shared__ int s[BINS];
    int t = threadIdx.x;
    if (t < BINS) s[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        int b = (int)((x[i] - lo) / (hi - lo) * BINS);
        atomicAdd(&s[b], 1); //!
    }
    __syncthreads();
    if (t < BINS) atomicAdd(&h[t], s[t]);
}
