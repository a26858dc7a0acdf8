// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: mask,barrier_divergence
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void tiles(const int* in, int* out) {
    __shared__ int s[32];
    auto t = cg::tiled_partition<16>(cg::this_thread_block());
    int v = 0;
    if (in[threadIdx.x] % 2) {
        s[threadIdx.x] = in[threadIdx.x];
        t.sync(); //!
        v = s[threadIdx.x];
    }
    __syncthreads();
    out[threadIdx.x] = v + t.shfl(v, 1);
}
