// launch: --grid 2 --block 128 --arg f32[256]=random:1 --arg f32[256]=zero --arg i32=256
// finds: out_of_bounds
template <typename T>
__device__ T diff(const T* p, int i) {
    return p[i] - p[i - 1]; //!
}
__global__ void adjacent(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = diff(in, i); //!
    }
}
