// Pointers and references to rows of arrays.
template <int N> __device__ float row_sum(const float (*p)[N], int row) { float s = 0; for (int j = 0; j < N; j++) s += p[row][j]; return s; }
template <typename T, int R, int C> __device__ void fill(T (&a)[R][C], T v) { for (int r = 0; r < R; r++) for (int c = 0; c < C; c++) a[r][c] = v + r * C + c; }
extern "C" __global__ void test(const float* in, float* out, int items) {
  __shared__ float tile[4][33];
  float (*p)[33] = tile;
  for (int r = 0; r < 4; r++) p[r][threadIdx.x] = in[threadIdx.x + r];
  if (threadIdx.x == 0) for (int r = 0; r < 4; r++) p[r][32] = 0;
  __syncthreads();
  float local[2][3]; fill(local, in[threadIdx.x]);
  float (&ref)[33] = tile[2];
  const float (*g)[8] = reinterpret_cast<const float (*)[8]>(in);
  out[threadIdx.x + blockIdx.x * 32] = row_sum<33>(tile, threadIdx.x & 3) + local[1][2] + ref[5] + g[threadIdx.x][3];
}
