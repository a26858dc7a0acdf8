// A product of matrices, a thread for each element: every factor is asked for by every thread that
// needs it.
extern "C" __global__ void gemm_naive(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, unsigned items, unsigned side)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= items)
        return;
    const unsigned row = i / side, column = i % side;
    float sum = 0.0f;
    for (unsigned k = 0; k < side; ++k)
        sum = fmaf(a[row * side + k], b[k * side + column], sum);
    c[i] = sum;
}
