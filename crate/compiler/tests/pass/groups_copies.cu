// Copies that groups make together.
//# arch compute_80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void test(const float* x, float* y, unsigned items)
{
    __shared__ alignas(16) float s[2][128];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    cg::memcpy_async(block, s[0], x, sizeof(float) * 100);
    cg::memcpy_async(tile, s[1] + tile.meta_group_rank() * 16, 16, x + 13, 10);
    cg::wait_prior<1>(block);
    float sum = s[0][threadIdx.x];
    cg::wait(tile);
    sum += s[1][threadIdx.x % 10];
    y[threadIdx.x] = sum;
}
