// launch: --grid 1 --block 32 --arg f32[32]=zero
// finds: endless_loop
__global__ void steps(float* out) {
    float s = 0.f;
    for (float t = 0.f; t != 1.f; t += 0.1f) s += t * t; //!
    out[threadIdx.x] = s;
}
