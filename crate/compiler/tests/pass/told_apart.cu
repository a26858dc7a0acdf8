// What is told apart by its types: special cases without arguments, arrays of parameters, names that others hide, alignment
// and objects by a type, reads that are atomic.
#include <cuda_fp16.h>
template <typename T> __device__ T scaled(T a, T b);
template <> __device__ float2 scaled(float2 a, float2 b) { return make_float2(a.x * b.y, a.y + b.x); }
template <> __device__ int scaled(int a, int b);
template <> __device__ int scaled(int a, int b) { return a * 3 - b; }
template <typename R, typename A> __device__ R mixed(A a) { return R(a); }
template <> __device__ float2 mixed(float a) { return make_float2(a, a + 1.0f); }

enum side { left = 3, right = 5 };
template <typename T> struct Pair { T a, b; };
template <typename T> struct Wide { alignas(T) char bytes[sizeof(T)]; alignas(2 * sizeof(T)) T value; };

// An array's length is nothing that its parameter says: it is a pointer.
template <int ROWS, int COLUMNS, typename T> __device__ T corner(T tile[ROWS][COLUMNS], T row[COLUMNS])
{
    return tile[ROWS - 1][COLUMNS - 2] + row[COLUMNS - 1];
}

extern "C" __global__ void test(const float* x, float* y, int* n, int* out)
{
    __shared__ float tile[5][7];
    const int i = threadIdx.x;
    y[i] = 0.0f;
    tile[i % 5][i % 7] = 0.0f;
    __syncthreads();
    if (i < 7) tile[i % 5][i] = x[i];
    __syncthreads();
    const int side = n[i];
    const float2 both = scaled<float2>(make_float2(x[i], 2.0f), mixed<float2>(x[i + 32]));
    const Pair<float> made = Pair<float>{both.x, both.y};
    y[i] = made.a + made.b * corner<2, 7>(tile, tile[0]);
    out[i] = scaled<int>(side, n[i + 32]) + side::right + (int)alignof(Wide<double>) + (int)sizeof(Wide<short>);
    const __half h = __float2half(x[i]);
    y[32 + i] = __half2float(+h) + __half2float(-h) * 0.5f;
    const __half2 two = __floats2half2_rn(x[i], x[i + 32]);
    y[64 + i] = __low2float(+two) - __high2float(+two);
    out[32 + i] = __nv_atomic_load_n(n + i, __NV_ATOMIC_RELAXED) + __nv_atomic_load_n(n + 32, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    y[96 + i] = __int_as_float(__nv_atomic_load_n((int*)x + i, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK));
}
