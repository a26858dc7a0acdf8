__device__ inline void Comparator(unsigned& keyA, unsigned& valA, unsigned& keyB, unsigned& valB, unsigned dir) {
  unsigned t;
  if ((keyA > keyB) == dir) { t = keyA; keyA = keyB; keyB = t; t = valA; valA = valB; valB = t; }
}
extern "C" __global__ void test(const unsigned* in, unsigned* out) {
  __shared__ unsigned s_key[64], s_val[64];
  s_key[threadIdx.x] = in[threadIdx.x] * 2654435761u; s_val[threadIdx.x] = threadIdx.x;
  s_key[threadIdx.x + 32] = in[threadIdx.x + 32] * 2654435761u; s_val[threadIdx.x + 32] = threadIdx.x + 32;
  for (unsigned size = 2; size < 64; size <<= 1) {
    unsigned ddd = 1 ^ ((threadIdx.x & (size / 2)) != 0);
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) { __syncthreads();
      unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd); } }
  for (unsigned stride = 32; stride > 0; stride >>= 1) { __syncthreads();
    unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], 1); }
  __syncthreads();
  out[threadIdx.x] = s_key[threadIdx.x]; out[threadIdx.x + 32] = s_val[threadIdx.x + 32];
}
