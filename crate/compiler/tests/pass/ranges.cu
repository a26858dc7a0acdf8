// `for` over what has `begin()` and `end()`, and over values in braces.
template <typename T, int N> struct Array { T d[N]; __device__ T* begin() { return d; } __device__ T* end() { return d + N; } __device__ const T* begin() const { return d; } __device__ const T* end() const { return d + N; } __device__ constexpr int size() const { return N; } __device__ T& operator[](int i) { return d[i]; } };
struct Range { int a, b; struct It { int v; __device__ int operator*() const { return v; } __device__ It& operator++() { ++v; return *this; } __device__ bool operator!=(const It& o) const { return v != o.v; } }; __device__ It begin() const { return {a}; } __device__ It end() const { return {b}; } };
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Array<float, 4> a;
  int k = 0;
  for (auto& x : a) x = in[i + k++];
  float s = 0;
  for (float x : a) s += x;
  for (int j : Range{0, items % 5}) s += in[j];
  for (auto v : {1, 2, 4}) s += v;
  out[i] = s;
}
