// A program: what only its host uses is left out.
#include <cstdio>
#include <vector>
#include <limits>
#include "cuda_runtime.h"
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)

static std::vector<float> results;
int runs = 3, *counts;
const float LIMIT = 1e-3f;
const char* const NAMES[] = {"one", "two"};
__constant__ float weights[3];
cudaError_t setup(float* x);
using Clock = std::chrono::steady_clock;

__global__ void add(int n, const float* x, float* y) // the kernel
{
    const uint32_t i = threadIdx.x;
    if (i < n && x[i] < FLT_MAX)
        y[i] = x[i] + LIMIT + (float)M_PI;
}

template <typename T> T twice(T x) { return x + x; }
constexpr int rounded(int n) { return (n + 31) / 32 * 32; }

#ifdef OTHER
int main()
{
#else
int main(int argc, char** argv)
{
#endif
#define BLOCK 256
#pragma omp parallel for
    for (int i = 0; i < runs; i++)
        add<<<1, BLOCK>>>(0, nullptr, nullptr);
    CHECK(cudaDeviceSynchronize());
}
