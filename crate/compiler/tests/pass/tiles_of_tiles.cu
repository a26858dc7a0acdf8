//# block 64
// Tiles that do not say of what they are tiles, and know it all the same.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <typename Group> __device__ unsigned told(Group g) { return g.meta_group_size() * 100 + g.meta_group_rank(); }
extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    auto block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(warp);
    auto four = cg::tiled_partition<4>(eight);
    cg::thread_block_tile<4> again = four;
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t] + told(warp) + 10000 * told(eight) + 3 * told(four) + told(again) + eight.shfl(in[t], 3);
}
