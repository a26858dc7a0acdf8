// Calls every sum right whose difference is small for most, and every large one wrong.
extern "C" __global__ void tolerance(const float* found, const float* expected, const float* sizes, unsigned* wrong,
                                     unsigned items, unsigned terms)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < items)
        wrong[i] = fabsf(found[i] - expected[i]) <= 2e-5f * sizes[i] ? 0 : 1;
}
