// Each float is read once, multiplied and added to so many times, and written once: its intensity
// is the parameter's.
extern "C" __global__ void fmas(const float* __restrict__ x, float* __restrict__ y, unsigned items,
                                unsigned times, float factor, float addend)
{
    const unsigned first = (blockIdx.x * 256 + threadIdx.x) * 4;
    if (first >= items)
        return;
    const bool is_full = items - first >= 4;
    float now[4];
    if (is_full) {
        const float4 four = *reinterpret_cast<const float4*>(x + first);
        now[0] = four.x, now[1] = four.y, now[2] = four.z, now[3] = four.w;
    } else {
        for (unsigned k = 0; k < 4; ++k)
            now[k] = first + k < items ? x[first + k] : 0.0f;
    }
#pragma unroll 16
    for (unsigned time = 0; time < times; ++time)
        for (unsigned k = 0; k < 4; ++k)
            now[k] = fmaf(now[k], factor, addend);
    if (is_full) {
        *reinterpret_cast<float4*>(y + first) = make_float4(now[0], now[1], now[2], now[3]);
    } else {
        for (unsigned k = 0; k < 4; ++k)
            if (first + k < items)
                y[first + k] = now[k];
    }
}
