// launch: --grid 2 --block 64 --cluster 2 --arg u8[512]=random:5 --arg i32[32]=zero
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void hist(const unsigned char* d, int* h) {
    __shared__ int s[16];
    auto c = cg::this_cluster();
    if (threadIdx.x < 16) s[threadIdx.x] = 0;
    c.sync();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < 512; i += 128) {
        int b = d[i] >> 3;
        int* p = c.map_shared_rank(s, b / 16);
        atomicAdd(p + b % 16, 1);
    }
    c.sync();
    if (threadIdx.x < 16) h[c.block_rank() * 16 + threadIdx.x] = s[threadIdx.x];
}
