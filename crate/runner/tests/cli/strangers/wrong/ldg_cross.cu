// launch: --grid 2 --block 32 --arg f32[64]=iota --arg f32[64]=zero
// finds: race
__global__ void f(float* a, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;

    a[i] += 1.f; //!
    out[i] = __ldg(a + (i ^ 1)); //!
}
