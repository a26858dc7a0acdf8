// The same structures by way of shared memory: a block reads and writes its particles as one run
// of floats, and only in between does each thread take its own.
extern "C" __global__ void drift_aos_staged(float* __restrict__ particles, unsigned items, float step)
{
    __shared__ float mine[6 * 256];
    const size_t first = size_t(blockIdx.x) * 256;
    const unsigned here = items - first < 256 ? unsigned(items - first) : 256;
    float* run = particles + first * 6;
    float found[6];
    for (unsigned k = 0; k < 6; ++k)
        if (k * 256 + threadIdx.x < here * 6)
            found[k] = run[k * 256 + threadIdx.x];
    for (unsigned k = 0; k < 6; ++k)
        if (k * 256 + threadIdx.x < here * 6)
            mine[k * 256 + threadIdx.x] = found[k];
    __syncthreads();
    if (threadIdx.x < here) {
        float* p = mine + threadIdx.x * 6;
        p[0] += step * p[3];
        p[1] += step * p[4];
        p[2] += step * p[5];
    }
    __syncthreads();
    for (unsigned k = 0; k < 6; ++k)
        if (k * 256 + threadIdx.x < here * 6)
            run[k * 256 + threadIdx.x] = mine[k * 256 + threadIdx.x];
}
