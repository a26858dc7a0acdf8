// launch: --grid 16 --block 256 --arg f32[4096]=random:1 --arg f32=2
__global__ void scale(float* x, float a) { x[blockIdx.x * blockDim.x + threadIdx.x] *= a; }
