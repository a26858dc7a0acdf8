// launch: --grid 16 --block 256 --arg f32[4096]=random:1 --arg i32[10]=zero
// first: atomic 6
__global__ void histogram10(const float *scores, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bin = (int)(scores[i] * 10.0f);
    atomicAdd(&bins[bin], 1);
}
