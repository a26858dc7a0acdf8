// What is often wrong in a first kernel, one slip in each line.
extern "C" __global__ void k(float* x, int n)
{
    int i = threadIdx.x;
    half h = 1.0f;
    x[threadIdx] = 1;
    x[i] = x[i] ^ 2;
    __syncthreads;
    float s[n];
    printf(i);
    float4 v = make_float4(1, 2, 3, 4) * 2;
    atomicAdd(x[i], 1.0f);
    x[i] = Sqrt(x[i]);
}
