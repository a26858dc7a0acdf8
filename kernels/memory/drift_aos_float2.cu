// The same structures, read by eight bytes: three loads and two stores in place of six and three.
extern "C" __global__ void drift_aos_float2(float2* __restrict__ particles, unsigned items, float step)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items) {
        float2* p = particles + size_t(i) * 3;
        float2 xy = p[0], zvx = p[1];
        const float2 vyvz = p[2];
        xy.x += step * zvx.y;
        xy.y += step * vyvz.x;
        zvx.x += step * vyvz.y;
        p[0] = xy;
        p[1] = zvx;
    }
}
