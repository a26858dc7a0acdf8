//# arch compute_90
// The blocks of a cluster, and what the lanes of a warp have in common.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    __shared__ unsigned own[32];
    cg::cluster_group cluster = cg::this_cluster();
    own[threadIdx.x] = in[threadIdx.x] + cluster.block_rank();
    cluster.sync();
    unsigned* other = cluster.map_shared_rank(own, (cluster.block_rank() + 1) % cluster.num_blocks());
    out[blockIdx.x * 32 + threadIdx.x] = other[31 - threadIdx.x] + cluster.thread_rank() + 1000 * cluster.num_threads() + cluster.dim_blocks().x + cluster.block_index().x;
    cluster.sync();
    unsigned m = __reduce_max_sync(0xffffffff, in[threadIdx.x] * 2654435761u); int n = __reduce_min_sync(0xffffffff, (int)(in[threadIdx.x] * 2654435761u));
    out[1024 + blockIdx.x * 32 + threadIdx.x] = m + n + __reduce_add_sync(0xffffffffu, threadIdx.x);
    int all; out[2048 + blockIdx.x * 32 + threadIdx.x] = __match_any_sync(~0u, (unsigned long long)in[threadIdx.x] << 33) + __match_all_sync(~0u, in[0] * 0.5f, &all) + all + __match_any_sync(~0u, (float)(threadIdx.x % 3));
}
