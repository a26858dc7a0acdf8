// launch: --grid 1 --block 64 --arg i32[64]=random:1 --arg i32[8]=zero
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void maxima(const int* in, int* out) {
    cg::thread_block b = cg::this_thread_block();
    auto t = cg::tiled_partition<8>(b);
    int m = cg::reduce(t, in[b.thread_rank()], cg::greater<int>());
    if (t.thread_rank() == 0) out[t.meta_group_rank()] = m;
}
