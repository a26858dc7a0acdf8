// launch: --grid 4 --block 32 --cluster 2 --arg i32[128]=zero
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void exchange(int* out) {
    __shared__ int s[32];
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = c.block_rank() * 100 + threadIdx.x;
    c.sync();
    int* other = c.map_shared_rank(s, c.block_rank() ^ 1);
    int v = other[31 - threadIdx.x];
    c.sync();
    out[blockIdx.x * 32 + threadIdx.x] = v;
}
