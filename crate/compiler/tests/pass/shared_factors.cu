//# block 16 16
//# tile 16 16
extern "C" __global__ void test(const float* __restrict__ f, float* __restrict__ o, int rows, int columns, float u, float v)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= columns || y >= rows) return;
    float px = x - 0.1f * u, py = y - 0.1f * v;
    px = fminf(fmaxf(px, 0.f), columns - 1.001f);
    py = fminf(fmaxf(py, 0.f), rows - 1.001f);
    int x0 = (int)px, y0 = (int)py, x1 = min(x0 + 1, columns - 1), y1 = min(y0 + 1, rows - 1);
    float fx = px - x0, fy = py - y0;
    o[y * columns + x] = (1 - fy) * ((1 - fx) * f[y0 * columns + x0] + fx * f[y0 * columns + x1]) + fy * ((1 - fx) * f[y1 * columns + x0] + fx * f[y1 * columns + x1]);
}
