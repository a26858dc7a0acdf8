// launch: --grid 4 --block 128 --arg f32[4096]=random:8 --arg f32[4096]=zero --arg f32=3
// first: stride 7
#define PER_THREAD 8
__global__ void scaleChunks(const float* x, float* y, float a) {
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
    for (int k = 0; k < PER_THREAD; k++)
        y[start + k] = a * x[start + k];
}
