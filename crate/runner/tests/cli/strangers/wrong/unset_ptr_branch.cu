// launch: --grid 1 --block 32 --arg f32[32]=iota --arg f32[32]=zero --arg i32=0
// finds: uninitialized
__global__ void f(const float* a, float* o, int mode) {
    float w;
    if (mode == 1) w = 0.5f;
    else if (mode == 2) w = 0.25f;
    o[threadIdx.x] = a[threadIdx.x] * w; //!
}
