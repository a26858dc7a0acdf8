// Particles as a structure of arrays: every load and every store is coalesced.
extern "C" __global__ void drift_soa(float* __restrict__ x, float* __restrict__ y, float* __restrict__ z,
                                     const float* __restrict__ vx, const float* __restrict__ vy,
                                     const float* __restrict__ vz, unsigned items, float step)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items) {
        x[i] += step * vx[i];
        y[i] += step * vy[i];
        z[i] += step * vz[i];
    }
}
