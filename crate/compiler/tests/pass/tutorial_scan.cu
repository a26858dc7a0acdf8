#define BLOCK_SIZE 32
extern "C" __global__ void test(const unsigned* in, unsigned* out) {
  __shared__ int temp[2 * BLOCK_SIZE];
  int thid = threadIdx.x, n = 2 * BLOCK_SIZE, offset = 1;
  temp[2*thid] = in[2*thid]; temp[2*thid+1] = in[2*thid+1];
  for (int d = n>>1; d > 0; d >>= 1) { __syncthreads();
    if (thid < d) { int ai = offset*(2*thid+1)-1; int bi = offset*(2*thid+2)-1; temp[bi] += temp[ai]; }
    offset *= 2; }
  if (thid == 0) { temp[n - 1] = 0; }
  for (int d = 1; d < n; d *= 2) { offset >>= 1; __syncthreads();
    if (thid < d) { int ai = offset*(2*thid+1)-1; int bi = offset*(2*thid+2)-1; int t = temp[ai]; temp[ai] = temp[bi]; temp[bi] += t; } }
  __syncthreads();
  out[2*thid] = temp[2*thid]; out[2*thid+1] = temp[2*thid+1];
}
