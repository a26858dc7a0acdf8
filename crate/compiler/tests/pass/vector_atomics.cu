// Sums of vectors in memory.
//# arch compute_90
extern "C" __global__ void test(float* x, float* y, unsigned items, int* z)
{
    float2 a = atomicAdd((float2*)x, make_float2(1, 2));
    float4 b = atomicAdd((float4*)(x + 8), make_float4(1, 2, 3, y[0]));
    atomicAdd((float4*)(x + 16), make_float4(1, 2, 3, y[0]));
    atomicAdd((float2*)(x + 32) + threadIdx.x % 3, make_float2(1, 2));
    y[threadIdx.x] = a.x + a.y + b.x + b.z + b.w;
    atomicAdd(z, 5); atomicAdd((unsigned*)z + 1, 5); z[6] = atomicAdd(x + 50, 2);
}
