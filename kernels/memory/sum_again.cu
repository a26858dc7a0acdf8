// A block's own 4096 floats, added up again and again: out of L1, out of L2, or out of shared memory, and how fast that
// goes is what is asked. 256 threads take 16 bytes at a time.
struct InL1 {
    const float4* run;
    __device__ float4 operator[](unsigned i) const { return run[i]; }
};

struct InL2 {
    const float4* run;
    __device__ float4 operator[](unsigned i) const { return __ldcg(&run[i]); }
};

// The sum of a block's run, `times` over: `length` is how many floats the last block has, 4096 in all others.
template <typename Place>
__device__ void add_up(Place place, const float* run, float* sum, unsigned length, unsigned times)
{
    float mine = 0.0f;
#pragma unroll 1
    for (unsigned time = 0; time < times; ++time)
        for (unsigned k = 0; k < 4; ++k) {
            // Each time other floats, lest they stay in registers.
            const unsigned i = (threadIdx.x + k * 256 + time * 32) % 1024;
            if (i < length / 4) {
                const float4 found = place[i];
                mine += (found.x + found.y) + (found.z + found.w);
            }
        }
    if (threadIdx.x < length % 4)
        mine += float(times) * run[length / 4 * 4 + threadIdx.x];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

extern "C" __global__ void reread_l1(const float* x, float* sum, unsigned items, unsigned times)
{
    const float* run = x + blockIdx.x * 4096;
    add_up(InL1{(const float4*)run}, run, sum, min(items - blockIdx.x * 4096, 4096u), times);
}

extern "C" __global__ void reread_l2(const float* x, float* sum, unsigned items, unsigned times)
{
    const float* run = x + blockIdx.x * 4096;
    add_up(InL2{(const float4*)run}, run, sum, min(items - blockIdx.x * 4096, 4096u), times);
}

extern "C" __global__ void reread_shared(const float* x, float* sum, unsigned items, unsigned times)
{
    __shared__ float4 here[1024];
    const float* run = x + blockIdx.x * 4096;
    const unsigned length = min(items - blockIdx.x * 4096, 4096u);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < length / 4; i += 256)
        here[i] = ((const float4*)run)[i];
    __syncthreads();
    add_up(InL1{here}, run, sum, length, times);
}
