// Functions that are chosen by what their types are, and types of expressions.
template <typename T, typename U> __device__ auto mul(T a, U b) -> decltype(a * b) { return a * b; }
template <typename A, typename B> struct Promote { using type = decltype(A() + B()); };
template <bool B, typename T = void> struct enable_if {}; 
template <typename T> struct enable_if<true, T> { typedef T type; };
template <typename T> struct is_float { static constexpr bool value = false; };
template <> struct is_float<float> { static constexpr bool value = true; };
template <typename T, typename enable_if<is_float<T>::value, int>::type = 0> __device__ int kind(T) { return 1; }
template <typename T, typename enable_if<!is_float<T>::value, int>::type = 0> __device__ int kind(T) { return 2; }
template <typename T> __device__ typename enable_if<sizeof(T) == 4, T>::type four(T x) { return x; }
template <typename T> __device__ typename enable_if<sizeof(T) == 8, T>::type four(T x) { return x / 2; }
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  decltype(auto) v = in[i];
  decltype(in[0] + 0) w = 2;
  Promote<int, float>::type p = 1.5f;
  out[i] = mul(v, 2) + w + p + kind(v) + kind(i) * 10 + four(v) + four(3.0);
}
