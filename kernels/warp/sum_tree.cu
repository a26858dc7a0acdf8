// The sums of 256 floats each, by a tree in shared memory: in every step half as many threads add what another one has.
extern "C" __global__ void sum_tree(const float* __restrict__ x, float* __restrict__ sums, unsigned items)
{
    __shared__ float parts[256];
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    parts[threadIdx.x] = i < items ? x[i] : 0.0f;
    for (unsigned distance = 128; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance)
            parts[threadIdx.x] += parts[threadIdx.x + distance];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = parts[0];
}
