// The same by numbers of elements, and of less than a word.
//# arch compute_80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
extern "C" __global__ void test(const float* x, float* y, unsigned items)
{
    __shared__ alignas(16) float4 s[32];
    __shared__ alignas(16) half h[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, 20, (const float4*)x, items);
    cg::memcpy_async(block, h, 60, (const half*)x, items);
    cg::wait_prior<1>(block);
    y[threadIdx.x] = s[threadIdx.x].y;
    cg::wait(block);
    y[threadIdx.x] += __half2float(h[threadIdx.x]);
}
