// The same structures by way of shared memory: a block reads and writes its particles as one run of floats, and only in
// between does each thread take its own.
extern "C" __global__ void drift_aos_staged(float* __restrict__ particles, unsigned items, float step)
{
    __shared__ float mine[256 * 6];
    const size_t first = size_t(blockIdx.x) * 256;
    const unsigned here = items - first < 256 ? unsigned(items - first) : 256;
    float* run = particles + first * 6;
#pragma unroll 1
    for (unsigned j = threadIdx.x; j < here * 6; j += 256)
        mine[j] = run[j];
    __syncthreads();
    if (threadIdx.x < here) {
        float* p = mine + threadIdx.x * 6;
        p[0] += step * p[3];
        p[1] += step * p[4];
        p[2] += step * p[5];
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned j = threadIdx.x; j < here * 6; j += 256)
        run[j] = mine[j];
}
