// Barriers by which half a block hands buffers to the other half.
//# arch compute_80
//# block 64 1
#include <cuda/barrier>
#include <cooperative_groups.h>
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cg = cooperative_groups;
__device__ void produce(barrier ready[], barrier filled[], float* buffer, const float* in, int N, int B)
{
    for (int i = 0; i < N / B; ++i) {
        ready[i % 2].arrive_and_wait();
        buffer[(i % 2) * B + threadIdx.x] = in[i * B + threadIdx.x] * 2;
        barrier::arrival_token token = filled[i % 2].arrive();
    }
}
__device__ void consume(barrier ready[], barrier filled[], float* buffer, float* out, int N, int B)
{
    barrier::arrival_token t1 = ready[0].arrive();
    barrier::arrival_token t2 = ready[1].arrive();
    for (int i = 0; i < N / B; ++i) {
        filled[i % 2].arrive_and_wait();
        out[i * B + threadIdx.x - 32] = buffer[(i % 2) * B + 31 - (threadIdx.x - 32)];
        barrier::arrival_token token = ready[i % 2].arrive();
    }
}
extern "C" __global__ void test(const float* in, float* out, unsigned items)
{
    __shared__ float buffer[64];
    __shared__ barrier bar[4];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 4)
        init(bar + block.thread_rank(), block.size());
    block.sync();
    if (block.thread_rank() < 32)
        produce(bar, bar + 2, buffer, in, 128, 32);
    else
        consume(bar, bar + 2, buffer, out, 128, 32);
}
