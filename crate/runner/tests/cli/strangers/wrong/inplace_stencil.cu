// launch: --grid 4 --block 64 --arg f32[256]=random:1 --arg i32=256
// finds: race
__global__ void smooth(float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        float l = a[i - 1], m = a[i], r = a[i + 1]; //!
        a[i] = 0.25f * l + 0.5f * m + 0.25f * r; //!
    }
}
