// launch: --grid 16 --block 256 --arg f32[4096]=random:2 --arg f32[2]=zero
// first: atomic 7
struct Stats { float sum; unsigned count; };
__global__ void gather(const float* x, Stats* stats) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (x[i] < 0.9f) {
        atomicAdd(&stats->sum, x[i]);
        atomicAdd(&stats->count, 1u);
    }
}
