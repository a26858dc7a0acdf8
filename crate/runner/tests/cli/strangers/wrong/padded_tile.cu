// launch: --grid 1 --block 32,8 --arg f32[1024]=iota --arg f32[1024]=zero
// finds: out_of_bounds
#define T 32
__global__ void transpose(const float* in, float* out) {
    __shared__ float tile[T * T];
    for (int y = threadIdx.y; y < T; y += blockDim.y)
        tile[y * (T + 1) + threadIdx.x] = in[y * T + threadIdx.x]; //!
    __syncthreads();
    for (int y = threadIdx.y; y < T; y += blockDim.y)
        out[y * T + threadIdx.x] = tile[threadIdx.x * (T + 1) + y];
}
