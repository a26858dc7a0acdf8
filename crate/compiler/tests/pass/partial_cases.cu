// Special cases for pointers, arrays and references.
template <typename T, int N> struct Vec { T d[N]; __device__ T sum() const { T s = 0; for (int i = 0; i < N; i++) s += d[i]; return s; } };
template <typename T> struct Vec<T, 1> { T d; __device__ T sum() const { return d; } };
template <typename T> struct Vec<T*, 2> { T* p; __device__ T sum() const { return p[0] - p[1]; } };
template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T*> { using type = T; };
template <typename T> struct remove_cvref { using type = T; };
template <typename T> struct remove_cvref<const T> { using type = T; };
template <typename T> struct remove_cvref<T&> { using type = T; };
template <typename T> struct remove_cvref<const T&> { using type = T; };
template <typename T> using remove_cvref_t = typename remove_cvref<T>::type;
template <typename T, int N> struct extent { static constexpr int value = 0; };
template <typename T> struct array_size;
template <typename T, int N> struct array_size<T[N]> { static constexpr int value = N; };
template <typename Sig> struct ret;
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Vec<float, 3> a{{in[i], in[i + 1], in[i + 2]}};
  Vec<float, 1> b{in[i]};
  Vec<const float*, 2> c{in + i};
  remove_pointer<int*>::type k = 3;
  remove_cvref_t<const float&> f = 1.5f;
  float arr[6];
  out[i] = a.sum() + b.sum() + c.sum() + k + f + array_size<decltype(arr)>::value;
}
