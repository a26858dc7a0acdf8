// launch: --grid 8 --block 256 --arg f32[2048]=random:3 --arg f32[2048]=zero
// first: constant 8
struct Params { float gain[32]; float bias; };
__constant__ Params params;
__global__ void equalize(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int band = i % 32;
    y[i] = x[i] * params.gain[band] + params.bias;
}
