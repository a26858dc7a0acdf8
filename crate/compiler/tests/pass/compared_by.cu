//# block 128
//# items 256
template <typename T> struct Less { __device__ bool operator()(const T& a, const T& b) const { return a < b; } };
template <typename T> struct Greater { __device__ bool operator()(const T& a, const T& b) const { return b < a; } };
template <typename K, typename V, class Cmp>
__device__ inline void compareExchange(K& ka, V& va, K& kb, V& vb, bool dir, Cmp cmp)
{
    if (cmp(kb, ka) == dir) {
        K k = ka; ka = kb; kb = k;
        V v = va; va = vb; vb = v;
    }
}
template <int N, typename K, typename V, class Cmp = Less<K>>
__device__ void bitonicSort(K* keys, V* vals, Cmp cmp = Cmp())
{
    for (unsigned size = 2; size <= N; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool dir = (threadIdx.x & (size / 2)) == 0;
            compareExchange(keys[pos], vals[pos], keys[pos + stride], vals[pos + stride], dir, cmp);
        }
    __syncthreads();
}
extern "C" __global__ void test(const float* __restrict__ in, float* out, unsigned* order, int items)
{
    __shared__ float k[256];
    __shared__ unsigned short v[256];
    for (int j = threadIdx.x; j < 256; j += blockDim.x) { k[j] = in[blockIdx.x * 256 + j]; v[j] = (unsigned short)j; }
    if (blockIdx.x & 1) bitonicSort<256>(k, v); else bitonicSort<256>(k, v, Greater<float>{});
    for (int j = threadIdx.x; j < 256; j += blockDim.x) { out[blockIdx.x * 256 + j] = k[j]; order[blockIdx.x * 256 + j] = v[j]; }
}
