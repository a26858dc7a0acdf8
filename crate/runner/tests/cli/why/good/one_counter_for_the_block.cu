// launch: --grid 16 --block 256 --arg f32[4096]=random:6 --arg i32[16]=zero --arg f32=0.3
__global__ void perBlock(const float* x, int* out, float limit) {
    __shared__ int votes;
    if (threadIdx.x == 0) votes = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = x[i] > limit ? 2 : 1;
    atomicAdd(&votes, mine);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = votes;
}
