// launch: --grid 1 --block 32 --arg f32[32]=iota --arg f32[32]=zero --arg i32=20
// finds: uninitialized
__global__ void f(const float* a, float* o, int n) {
    float s;
    for (int i = 0; i < n; ++i) s += a[(threadIdx.x + i) % 32]; //!
    o[threadIdx.x] = s; //!
}
