#include <cuda_fp16.h>

struct Length {
    float metres;
    __device__ Length(float of) : metres(of) {}
    __device__ operator float() const { return metres; }
};
__device__ Length operator+(const Length& a, const Length& b) { return Length(a.metres + b.metres); }

extern "C" __global__ void test(const __half* in, float* out, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    const __half v = in[i];
    float sum = v * 2.0f;
    sum += v;
    sum += 1.0f + Length(3.0f);
    if (1 > v)
        out[i] = sum;
}
