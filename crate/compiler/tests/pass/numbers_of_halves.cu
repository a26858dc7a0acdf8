//# arch compute_80
// Each number that a half or a bfloat16 becomes, also out of range, and what is done with one where a number is wanted.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T>
__device__ long long numbers(const T v)
{
    long long sum = (bool)v;
    sum = 3 * sum + (char)v;
    sum = 3 * sum + static_cast<signed char>(v);
    sum = 3 * sum + (unsigned char)v;
    sum = 3 * sum + (short)v;
    const unsigned short small = v;
    sum = 3 * sum + small + (int)v;
    const unsigned whole = v;
    sum = 3 * sum + whole;
    sum = 3 * sum + (long)v + (long long)((unsigned long long)v >> 3);
    if (!v)
        sum += 7;
    return v && sum > 0 ? sum : -sum;
}

template <typename T>
__device__ double steps(T v)
{
    T first = v++;
    --v;
    v += first--;
    return sqrt(++v) + (double)v + -(float)first;
}

extern "C" __global__ void test(const float* in, double* out, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 >= items)
        return;
    const float sizes[4] = {1.0f, 200.0f, 70000.0f, 3e19f};
    const float x = in[i] * sizes[i & 3];
    out[4 * i] = numbers(__half(x));
    out[4 * i + 1] = numbers(__nv_bfloat16(x));
    out[4 * i + 2] = steps(__half(x));
    out[4 * i + 3] = steps(__nv_bfloat16(x));
}
