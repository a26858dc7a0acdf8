// launch: --grid 1 --block 32 --arg f32[32]=zero
// finds: endless_loop
__device__ float root(float a) {
    float x = a;
    while (x * x != a) //!
        x = 0.5f * (x + a / x); //!
    return x;
}
__global__ void roots(float* out) {
    out[threadIdx.x] = root(threadIdx.x + 1.f); //!
}
