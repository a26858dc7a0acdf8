// launch: --grid 1 --block 64 --arg f32[64]=random:1 --arg f32[64]=zero
// finds: out_of_bounds
__global__ void f(const float* a, float* o) { unsigned i = threadIdx.x; o[i] = a[i - 1] + a[i]; } //!
