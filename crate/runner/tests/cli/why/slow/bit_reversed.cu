// launch: --grid 16 --block 256 --arg f32[4096]=random:8 --arg f32[4096]=zero
// first: stride 6
__global__ void reorder(const float* in, float* out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned j = __brev(i) >> 20;
    out[j] = in[i];
}
