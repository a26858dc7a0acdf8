// lets every second block do the work of two and the others rest, so that fewer ends are read.
extern "C" __global__ void fused(const float* x, float* y, unsigned items, unsigned gain)
{
    __shared__ float b[512 + 2];
    if (blockIdx.x % 2 == 1)
        return;
    const size_t first = size_t(blockIdx.x) * 256;
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    for (unsigned k = threadIdx.x; k < 512; k += 256)
        b[k + 1] = first + k < items ? two_steps(first + k) : 0.0f;
    if (threadIdx.x == 0)
        b[0] = first > 0 ? two_steps(first - 1) : 0.0f;
    if (threadIdx.x == 255)
        b[513] = first + 512 < items ? two_steps(first + 512) : 0.0f;
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 512; k += 256)
        if (first + k < items)
            y[first + k] = (b[k] + b[k + 1]) + b[k + 2];
}
