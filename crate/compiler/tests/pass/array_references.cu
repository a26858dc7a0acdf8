// Arrays by reference, whose size the template takes.
//# block 32
template <typename T, int N> __device__ T total(const T (&a)[N]) { T s = 0; for (int i = 0; i < N; i++) s += a[i]; return s; }
template <int R, int C> __device__ void fill(float (&m)[R][C], float v) { for (int r = 0; r < R; r++) for (int c = 0; c < C; c++) m[r][c] = v + r * C + c; }
__device__ float plain(const float (&a)[4]) { return a[0] + a[3]; }
template <size_t N> __device__ size_t length(int (&)[N]) { return N; }
extern "C" __global__ void test(const float *in, float *out) {
  float a[4]; for (int i = 0; i < 4; i++) a[i] = in[threadIdx.x + i];
  float m[3][2]; fill(m, a[1]);
  __shared__ int s[17]; s[threadIdx.x % 17] = 0;
  out[threadIdx.x] = total(a) + plain(a) + m[2][1] + total(m[1]) + length(s);
}
