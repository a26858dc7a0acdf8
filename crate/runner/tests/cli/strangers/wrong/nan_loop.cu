// launch: --grid 1 --block 32 --arg f32[32]=zero
// finds: endless_loop
__global__ void f(float* out) {
    float a = (float)threadIdx.x - 2.f, x = 1.f, e = 1.f;
    while (!(e < 1e-4f)) { //!
        float y = sqrtf(a) + 0.5f * x; //!
        e = fabsf(y - x); //!
        x = y; //!
    } //!
    out[threadIdx.x] = x;
}
