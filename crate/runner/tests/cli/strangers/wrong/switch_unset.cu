// launch: --grid 1 --block 32 --arg i32[32]=iota --arg f32[32]=zero
// finds: uninitialized
__device__ float weight(int kind) {
    float w;
    switch (kind) { case 0: w = 1.f; break; case 1: w = 2.5f; break; case 2: w = 4.f; break; }
    return w;
}
__global__ void weights(const int* kind, float* out) { out[threadIdx.x] = weight(kind[threadIdx.x] & 3); } //!
