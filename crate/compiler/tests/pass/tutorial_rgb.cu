// A transpose of structs of three floats, through padded shared memory.
//# block 16 16
//# tile 16 16
//# bytes 12
struct RGB { float r, g, b; };
extern "C" __global__ void test(const RGB *in, RGB *out, int rows, int columns) {
  __shared__ RGB tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x; y = blockIdx.x * 16 + threadIdx.y;
  if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
