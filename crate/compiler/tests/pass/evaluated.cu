// Functions with loops, and objects, that are run while compiling.
constexpr __host__ __device__ int ceil_div(int a, int b) { return (a + b - 1) / b; }
__device__ constexpr int ilog2(int n) { int r = 0; while (n > 1) { n >>= 1; ++r; } return r; }
struct Table { int v[8]; __device__ constexpr Table() : v() { for (int i = 0; i < 8; i++) v[i] = i * i; } };
constexpr Table squares;
struct Shape { int m, n; __device__ constexpr int area() const { return m * n; } };
constexpr Shape shape{4, 6};
template <int N> struct Buf { float d[N]; };
__device__ constexpr unsigned crc(unsigned v) { for (int i = 0; i < 8; i++) v = v & 1 ? (v >> 1) ^ 0xEDB88320u : v >> 1; return v; }
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Buf<ceil_div(10, 4)> b;
  constexpr int L = ilog2(64);
  static_assert(L == 6, "log");
  static_assert(shape.area() == 24, "area");
  constexpr int arr[] = {3, 1, 2};
  b.d[0] = in[i]; b.d[1] = squares.v[3]; b.d[2] = squares.v[i & 7];
  int x[arr[0]]; x[0] = L; x[1] = crc(5) & 255; x[2] = arr[i % 3];
  out[i] = b.d[0] + b.d[1] + b.d[2] + x[0] + x[1] + x[2] + shape.n;
}
