// launch: --grid 16 --block 128 --arg f32[4096]=iota --arg f32[2048]=zero --arg i32=5
// first: local_array 7
__global__ void window(const float* in, float* out, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float window[16];
    int first = 0;
    for (int j = 0; j < 16; ++j) window[(j * k) & 15] = in[i + 64 * j];
    float sum = 0;
    for (int j = 0; j < k; ++j) { sum += window[first]; first = (first + 3) & 15; }
    out[i] = sum;
}
