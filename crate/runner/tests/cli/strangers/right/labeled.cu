// launch: --grid 1 --block 32 --arg i32[32]=random:2 --arg i32[32]=zero
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void parts(const int* in, int* out) {
    auto t = cg::tiled_partition<32>(cg::this_thread_block());
    int v = in[threadIdx.x] & 255;
    auto g = cg::binary_partition(t, (v & 1) == 1);
    int sum = cg::reduce(g, v, cg::plus<int>());
    int before = cg::exclusive_scan(t, v);
    out[threadIdx.x] = sum + before;
}
