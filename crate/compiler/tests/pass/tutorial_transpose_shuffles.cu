//# block 32 4
//# tile 32 128
extern "C" __global__ void test(const float* __restrict__ in, float* __restrict__ out, int rows, int columns)
{
    int lane = threadIdx.x;
    int x = blockIdx.x * 32 + lane, y0 = blockIdx.y * 128 + threadIdx.y * 32;
    float r[32];
#pragma unroll
    for (int i = 0; i < 32; i++) r[i] = (x < columns && y0 + i < rows) ? in[(y0 + i) * columns + x] : 0.0f;
#pragma unroll
    for (int s = 16; s >= 1; s >>= 1)
#pragma unroll
        for (int i = 0; i < 32; i++)
            if (!(i & s)) {
                float a = r[i], b = r[i + s];
                bool hi = (lane & s) != 0;
                float x1 = __shfl_xor_sync(~0u, hi ? a : b, s);
                r[i] = hi ? x1 : a;
                r[i + s] = hi ? b : x1;
            }
#pragma unroll
    for (int i = 0; i < 32; i++)
        if (blockIdx.x * 32 + i < columns && y0 + lane < rows) out[(blockIdx.x * 32 + i) * rows + y0 + lane] = r[i];
}
