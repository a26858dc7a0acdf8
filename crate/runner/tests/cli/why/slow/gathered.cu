// launch: --grid 16 --block 128 --arg u32[2048]=random:5 --arg f32[4096]=iota --arg f32[2048]=zero
// first: scattered 5
__global__ void gather(const unsigned* index, const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i] % 4096];
}
