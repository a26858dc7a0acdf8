// launch: --grid 2,1 --block 32,8 --arg f32[512]=iota --arg f32[512]=zero --arg i32=64
// finds: out_of_bounds
__global__ void load(const float* in, float* out, int w) {
    __shared__ float s[8][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = threadIdx.y;
    s[threadIdx.x][threadIdx.y] = in[y * w + x]; //!
    __syncthreads();
    out[y * w + x] = s[threadIdx.x][threadIdx.y]; //!
}
