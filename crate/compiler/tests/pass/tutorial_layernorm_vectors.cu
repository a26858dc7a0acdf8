//# block 64
//# items 1
extern "C" __global__ void test(const float4* __restrict__ in, float4* __restrict__ out, const float4* __restrict__ g, const float4* __restrict__ b, int n4)
{
    __shared__ float s_sum[2], s_sq[2];
    const float4* x = in + blockIdx.x * n4;
    float sum = 0, sq = 0;
    for (int i = threadIdx.x; i < n4; i += 64) {
        float4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
        sq += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int o = 16; o; o >>= 1) { sum += __shfl_xor_sync(~0u, sum, o); sq += __shfl_xor_sync(~0u, sq, o); }
    if (!(threadIdx.x & 31)) { s_sum[threadIdx.x >> 5] = sum; s_sq[threadIdx.x >> 5] = sq; }
    __syncthreads();
    float n = 4.f * n4, mean = (s_sum[0] + s_sum[1]) / n, var = (s_sq[0] + s_sq[1]) / n - mean * mean, inv = rsqrtf(var + 1e-5f);
    for (int i = threadIdx.x; i < n4; i += 64) {
        float4 v = x[i], gg = g[i], bb = b[i], o;
        o.x = (v.x - mean) * inv * gg.x + bb.x;
        o.y = (v.y - mean) * inv * gg.y + bb.y;
        o.z = (v.z - mean) * inv * gg.z + bb.z;
        o.w = (v.w - mean) * inv * gg.w + bb.w;
        out[blockIdx.x * n4 + i] = o;
    }
}
