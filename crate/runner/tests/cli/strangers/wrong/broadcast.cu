// launch: --grid 4 --block 96 --arg f32[4]=random:1 --arg f32[384]=random:2
// finds: race,uninitialized
__global__ void scale(const float* factor, float* d) {
    __shared__ float f;
    if (threadIdx.x == 0) f = factor[blockIdx.x]; //!
    d[blockIdx.x * blockDim.x + threadIdx.x] *= f; //!
}
