// One of a group does something, and tells the others.
//# arch compute_90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void test(int* x, int* y, unsigned items)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int v = cg::invoke_one_broadcast(tile, [&] { return atomicAdd(x, 5); });
    int w = cg::invoke_one_broadcast(cg::coalesced_threads(), [&] { return atomicAdd(x + 1, 5); });
    cg::invoke_one(tile, [&](int by) { atomicAdd(x + 2, by); }, 7);
    cg::invoke_one(cg::coalesced_threads(), [&]() { atomicAdd(x + 3, 4); });
    cg::invoke_one(block, [&]() { atomicAdd(x + 3, 4); });
    y[threadIdx.x] = v + w;
}
