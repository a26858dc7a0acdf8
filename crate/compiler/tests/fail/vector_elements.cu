extern "C" __global__ void k(float* x, const float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = *reinterpret_cast<const float4*>(y);
    x[i] = v[0];
    x[i] = v.a + v;
    v = v + v;
    float2 w = v;
    v = 1.0f;
}
