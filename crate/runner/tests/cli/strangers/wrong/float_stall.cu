// launch: --grid 1 --block 32 --arg f32[32]=zero
// finds: endless_loop
__global__ void integrate(float* out) {
    float s = 0.f;
    for (float x = 16777200.f; x < 16777300.f; x += 1.f) //!
        s += 1.f / x; //!
    out[threadIdx.x] = s;
}
