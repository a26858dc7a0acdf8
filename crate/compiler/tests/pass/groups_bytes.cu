// The same of bytes, which begin anywhere.
//# arch compute_80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void test(const float* x, float* y, unsigned items)
{
    __shared__ alignas(16) unsigned char s[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, (const unsigned char*)x, items);
    cg::wait(block);
    y[threadIdx.x] = s[threadIdx.x];
}
