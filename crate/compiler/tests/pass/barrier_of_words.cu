// A block's barrier where the hardware has none: arriving, waiting, and copies for it.
#include <cuda/barrier>
#include <cooperative_groups.h>
extern "C" __global__ void test(const float* x, float* y, unsigned items)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ alignas(16) float s[32];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::memcpy_async(block, s, x + blockIdx.x * 32, sizeof(float) * 32, bar);
    bar.arrive_and_wait();
    float v = s[31 - threadIdx.x];
    cuda::memcpy_async(block, s, x + blockIdx.x * 32, cuda::aligned_size_t<16>(sizeof(float) * 32), bar);
    bar.arrive_and_wait();
    cuda::memcpy_async(&s[threadIdx.x], &x[i],  sizeof(float), bar);
    bar.arrive_and_wait();
    if (i < items) y[i] = s[threadIdx.x ^ 1] + v;
}
