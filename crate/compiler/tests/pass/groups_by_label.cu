// Groups by answer and label, their sums, and sums of the threads up to each.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    cg::thread_block block = cg::this_thread_block();
    unsigned* to = out + block.thread_rank() * 64; unsigned k = 0;
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    unsigned v = in[block.thread_rank()];
    to[k++] = cg::inclusive_scan(warp, v);
    to[k++] = cg::exclusive_scan(warp, v);
    to[k++] = cg::inclusive_scan(eight, v, cg::greater<unsigned>());
    to[k++] = __float_as_uint(cg::inclusive_scan(warp, v * 0.1f, cg::plus<float>()));
    to[k++] = __float_as_uint(cg::exclusive_scan(eight, v * 0.1f));
    to[k++] = cg::exclusive_scan(eight, (int)v, cg::less<int>());
    auto half = cg::binary_partition(warp, v % 2 == 1);
    to[k++] = half.size() + 100 * half.thread_rank();
    to[k++] = cg::reduce(half, v, cg::plus<unsigned>());
    to[k++] = cg::inclusive_scan(half, v);
    to[k++] = cg::exclusive_scan(half, v);
    auto label = cg::labeled_partition(warp, (int)(v % 3));
    to[k++] = label.size() + 100 * label.thread_rank() + 10000 * label.meta_group_rank() + 1000000 * label.meta_group_size();
    to[k++] = cg::reduce(label, (int)v, cg::greater<int>());
    to[k++] = __float_as_uint(cg::reduce(label, v * 0.1f, cg::plus<float>()));
    to[k++] = label.shfl(v, 0) + label.any(v > 500) + label.all(v > 2);
    to[k++] = label.match_any(v & 1);
    to[k++] = warp.match_any(v % 5);
    int pred; to[k++] = warp.match_all(v / 1000, pred) + pred;
    if (v & 2) {
        auto active = cg::coalesced_threads();
        to[k++] = active.ballot(v & 1); to[k++] = active.match_any(v % 3);
        to[k++] = cg::reduce(active, v, cg::bit_xor<unsigned>());
        auto four = cg::tiled_partition(active, 4);
        to[k++] = four.size() + 100 * four.thread_rank();
    }
    k = 24;
    cg::invoke_one(warp, [&] { to[k] = 77; });
    to[k + 2] = block.dim_threads().x + block.thread_index().x;
    to[k + 3] = cg::reduce(warp, v, [](unsigned a, unsigned b) { return a > b ? a : b; });
    cg::thread_block_tile<32> w2 = cg::tiled_partition<32>(cg::this_thread_block());
    to[k + 4] = w2.num_threads() + cg::thread_rank(block) ;
    cg::sync(warp);
    to[k + 5] = cg::this_grid().thread_rank() + cg::this_grid().num_threads() + cg::this_grid().block_rank();
}
