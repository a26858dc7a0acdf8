// keeps what lies between the steps in a variable of the module, each block a piece of its own, and goes to memory as often as before.
__device__ float between[1 << 23];

extern "C" __global__ void fused(const float* x, float* y, unsigned items, unsigned gain)
{
    float* b = between + size_t(blockIdx.x) * 264;
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    b[threadIdx.x + 1] = i < items ? two_steps(i) : 0.0f;
    if (threadIdx.x == 0)
        b[0] = i > 0 ? two_steps(i - 1) : 0.0f;
    if (threadIdx.x == 255)
        b[257] = i + 1 < items ? two_steps(i + 1) : 0.0f;
    __syncthreads();
    if (i < items)
        y[i] = (b[threadIdx.x] + b[threadIdx.x + 1]) + b[threadIdx.x + 2];
}
