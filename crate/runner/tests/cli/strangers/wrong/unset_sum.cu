// launch: --grid 1 --block 32 --arg f32[32]=iota --arg f32[32]=zero
// finds: uninitialized
__global__ void f(const float* a, float* o) { float s; for (int i = 0; i < 8; ++i) s += a[(threadIdx.x + i) % 32]; o[threadIdx.x] = s; } //!
