#include <cuda_fp16.h>
extern "C" __global__ void axpy_unrolled(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
    // A loop that is unrolled by four.
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (unsigned i = 0; i < n; ++i) sum = sum * 0.5f + in[i];
    out[at] = sum;
}
extern "C" __global__ void quotients(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float x = in[at] + 1.0f;
    out[at] = x / (x + 2.0f) + sqrtf(x) + __expf(x) + 1.0f / x;
}
extern "C" __global__ void signs(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) out[at] = in[at] > 0.5f ? -in[at] : fabsf(in[at] - 0.75f);
}
extern "C" __global__ void halves(const __half2* __restrict__ in, __half2* __restrict__ out, unsigned n) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at + 4 >= n) return;
    __half2 a = in[at], b = in[at + 1], c = in[at + 2], d = in[at + 3];
    out[at] = __hadd2_rn(__hmul2_rn(a, b), __hadd2_rn(__hmul2_rn(c, d), __hadd2_rn(a, d)));
}
extern "C" __global__ void doubles(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    double x = in[at];
    double y = x * x + 0.25;
    if (threadIdx.x % 3 == 0) y = y / (x + 3.0);
    out[at] = (float)(y * 3.0 - x);
}
extern "C" __global__ void branches(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float x = in[at];
    if (threadIdx.x % 5 == 1) x = x * 3.0f + in[(at * 7) % n];
    out[at] = x;
}
