// launch: --grid 16 --block 256 --arg f32[4096]=random:5 --arg f32[4096]=zero --arg f32=0.2 --arg f32=0.8
__global__ void clampAll(const float* in, float* out, float lo, float hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    if (v < lo) v = lo;
    else if (v > hi) v = hi;
    out[i] = v;
}
