// launch: --grid 16 --block 128 --arg f32[2048]=random:2 --arg f32[1]=zero
// first: atomic 6
__global__ void total(const float* in, float* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];
    atomicAdd(sum, value);
}
