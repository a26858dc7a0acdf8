// C = A · B with tiles of 32 × 32 in shared memory: a block asks global memory once for what its
// 1024 elements of C need of a step of both factors.
extern "C" __global__ void sgemm_tiled(const float* __restrict__ a, const float* __restrict__ b,
                                       float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    __shared__ float of_a[32][32], of_b[32][32];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const unsigned row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    float sum = 0.0f;
    for (unsigned from = 0; from < k; from += 32) {
        of_a[y][x] = row < m && from + x < k ? a[row * k + from + x] : 0.0f;
        of_b[y][x] = from + y < k && column < n ? b[(from + y) * n + column] : 0.0f;
        __syncthreads();
        for (unsigned p = 0; p < 32; ++p)
            sum = fmaf(of_a[y][p], of_b[p][x], sum);
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
