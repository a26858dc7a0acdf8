// C = A · B: a thread for each element of C reads a row of A and a column of B. The threads of a
// warp lie along a row of C, so that they read the same element of A and neighbours of B.
extern "C" __global__ void sgemm_naive(const float* __restrict__ a, const float* __restrict__ b,
                                       float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (unsigned p = 0; p < k; ++p)
        sum = fmaf(a[row * k + p], b[p * n + column], sum);
    c[row * n + column] = sum;
}
