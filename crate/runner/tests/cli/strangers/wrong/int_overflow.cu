// launch: --grid 1 --block 32 --arg f32[1024]=random:1 --arg f32[32]=zero --arg i32=70000 --arg i32=40000
// finds: out_of_bounds
// samples of a tall matrix, the buffer holds a window of it that starts at row `first`
__global__ void sample(const float* window, float* out, int pitch, int first) {
    int row = first + threadIdx.x / 32;
    int flat = row * pitch + threadIdx.x;
    long long start = (long long)first * pitch;
    out[threadIdx.x] = window[flat - start]; //!
}
