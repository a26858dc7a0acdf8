// Cooperative groups: the block, tiles of it, the lanes that are active.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    __shared__ unsigned tile[32];
    cg::thread_block block = cg::this_thread_block();
    unsigned* to = out + block.thread_rank() * 32;
    unsigned k = 0;
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
    auto four = cg::tiled_partition<4>(eight);
    unsigned v = in[block.thread_rank()];
    tile[block.thread_rank()] = v;
    block.sync();
    to[k++] = tile[31 - block.thread_rank()] + block.size();
    to[k++] = warp.shfl_down(v, 3) + warp.meta_group_rank();
    to[k++] = eight.shfl(v, 2);
    to[k++] = eight.shfl_up(v, 1) + eight.size() + eight.thread_rank();
    to[k++] = four.shfl_xor(v, 1) + four.meta_group_size();
    to[k++] = warp.ballot(v & 1);
    to[k++] = eight.ballot(v & 1);
    to[k++] = eight.any(v > 50) + 2 * eight.all(v > 5);
    warp.sync();
    eight.sync();
    int sum = v;
    for (int offset = warp.size() / 2; offset > 0; offset /= 2)
        sum += warp.shfl_down(sum, offset);
    to[k++] = sum;
    to[k++] = cg::reduce(warp, v, cg::plus<unsigned>());
    to[k++] = cg::reduce(eight, (int)v, cg::greater<int>());
    to[k++] = __float_as_uint(cg::reduce(eight, v * 0.1f, cg::plus<float>()));
    if (v % 3 == 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        to[k++] = active.size() + 100 * active.thread_rank();
        to[k++] = active.shfl(v, 0);
    }
}
