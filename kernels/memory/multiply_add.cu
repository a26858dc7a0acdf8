// Multiply and add, 4096 times for each float; a thread has eight floats, so that none waits for itself.
extern "C" __global__ void multiply_add(const float* __restrict__ x, float* __restrict__ y, unsigned items,
                                        float factor, float addend)
{
    const unsigned first = blockIdx.x * 2048 + threadIdx.x;
    float now[8];
    for (unsigned k = 0; k < 8; ++k)
        now[k] = first + k * 256 < items ? x[first + k * 256] : 0;
#pragma unroll 16
    for (unsigned round = 0; round < 4096; ++round)
        for (unsigned k = 0; k < 8; ++k)
            now[k] = fmaf(now[k], factor, addend);
    for (unsigned k = 0; k < 8; ++k)
        if (first + k * 256 < items)
            y[first + k * 256] = now[k];
}
