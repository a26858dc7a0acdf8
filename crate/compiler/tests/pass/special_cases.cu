// Special cases of templates, of structs and functions, some of them for many arguments.
//# block 32
template <typename T> struct Limits { __device__ static T lowest() { return 0; } };
template <> struct Limits<float> { __device__ static float lowest() { return -3.402823466e+38f; } };
template <> struct Limits<int> { __device__ static int lowest() { return -2147483647 - 1; } };
template <typename T> __device__ T maxOf(const T *p, int n) { T m = Limits<T>::lowest(); for (int i = 0; i < n; i++) m = p[i] > m ? p[i] : m; return m; }
template <typename T> __device__ __forceinline__ const char *nameless();
template <typename T> __device__ int kind(T) { return 1; }
template <> __device__ int kind<float>(float) { return 2; }
template <typename A, typename B> struct Same { static constexpr bool value = false; };
template <typename A> struct Same<A, A> { static constexpr bool value = true; };
extern "C" __global__ void test(const float *in, int *out, const int *ints) {
  out[threadIdx.x] = (int)maxOf(in + threadIdx.x, 5) + maxOf(ints + threadIdx.x, 4) + kind(1) + kind(1.f) + Same<int, int>::value * 10 + Same<int, float>::value;
}
