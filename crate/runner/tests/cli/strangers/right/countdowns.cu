// launch: --grid 1 --block 32 --arg f32[512]=random:1 --arg f32[32]=zero --arg u32=16
__global__ void horner(const float* coef, float* y, unsigned n) {
    float x = 0.01f * threadIdx.x, r = 0.f;
    const float* c = coef + threadIdx.x * n;
    for (unsigned i = n; i-- > 0;) r = r * x + c[i];
    for (unsigned i = n - 1; i < n; --i) r += c[i];
    for (int i = n - 1; i >= 0; i -= 3) r -= c[i];
    y[threadIdx.x] = r;
}
