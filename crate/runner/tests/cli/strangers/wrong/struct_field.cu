// launch: --grid 1 --block 32 --arg f32[32]=random:1 --arg f32[32]=zero --arg i32=3
// finds: uninitialized
struct Best { float value; int index; };
__device__ void improve(Best& b, float v, int i) {
    if (v > b.value) { b.value = v; b.index = i; } //!
}
__global__ void argmax(const float* in, float* out, int n) {
    Best b;
    b.index = -1;
    for (int i = 0; i < n; ++i) improve(b, in[(threadIdx.x + i) % 32], i); //!
    out[threadIdx.x] = b.value + b.index; //!
}
