//# items 32
// Functions of a source beside those of CUDA with the same name, for types that CUDA's do not take.
__device__ float4 exp(float4 v) { return make_float4(expf(v.x), expf(v.y), expf(v.z), expf(v.w)); }
__device__ float3 fabs(float3 v) { return make_float3(fabsf(v.x), fabsf(v.y), fabsf(v.z)); }
__device__ float4 floorf(float4 v) { return make_float4(floorf(v.x), floorf(v.y), floorf(v.z), floorf(v.w)); }
__device__ float2 fminf(float2 a, float2 b) { return make_float2(fminf(a.x, b.x), fminf(a.y, b.y)); }
__device__ int2 max(int2 a, int2 b) { return make_int2(max(a.x, b.x), max(a.y, b.y)); }
__device__ float pow(float2 v, int n) { return pow(v.x, n) + pow(v.y, n); }

extern "C" __global__ void test(const float* in, float* out)
{
    const unsigned t = threadIdx.x;
    const float x = in[t];
    const float4 v = ((const float4*)in)[t];
    float sum = exp(x) + exp(v).y + fabs(x) + fabs(make_float3(x, v.y, v.z)).z;
    sum += floorf(x) + floorf(v).w + fminf(x, v.z) + fminf(make_float2(x, v.x), make_float2(v.y, v.z)).y;
    const int2 most = max(make_int2(int(v.x), int(v.y)), make_int2(3, -3));
    out[t] = sum + max(most.x, most.y) + pow(make_float2(x, 2.0f), 3);
}
