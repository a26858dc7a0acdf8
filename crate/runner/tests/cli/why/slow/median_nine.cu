// launch: --grid 16 --block 128 --arg f32[2056]=random:3 --arg f32[2048]=zero --arg i32=9
// first: local_array 13
__global__ void median(const float* in, float* out, int window) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[9];
    for (int k = 0; k < window; k++) {
        float x = in[i + k];
        int j = k - 1;
        while (j >= 0 && v[j] > x) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = x;
    }
    out[i] = v[window / 2];
}
