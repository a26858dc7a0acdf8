//# block 64 1
#include <cuda_fp16.h>

// The operators of a struct hide none of its members' types.
struct Pair {
    half first, second;
    __device__ Pair(half a, half b) : first(a), second(b) {}
    __device__ Pair operator*(const Pair& other) const
    {
        return Pair(first * other.first - second * other.second, first * other.second + second * other.first);
    }
    __device__ Pair operator-() const { return Pair(-first, -second); }
    __device__ Pair& operator+=(const Pair& other)
    {
        first += other.first;
        second += other.second;
        return *this;
    }
};

struct Length {
    float meters;
    __device__ Length operator*(const Length& other) const { return Length{meters * other.meters}; }
};

struct Count { int of; };

__device__ Length operator*(const Length& length, const Count& count) { return Length{length.meters + count.of}; }

extern "C" __global__ void test(const float* in, const int* numbers, float* out, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items) return;
    Pair a(__float2half(in[i]), __float2half(in[i + 1]));
    Pair b(__float2half(in[i + 2]), __float2half(in[i + 3]));
    Pair product = a * b;
    product += -a;
    out[2 * i] = __half2float(product.first);
    out[2 * i + 1] = __half2float(product.second);
    Length length = Length{in[i]} * Count{numbers[i]};
    out[2 * items + i] = (length * Length{2.0f}).meters;
}
