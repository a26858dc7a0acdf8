// launch: --grid 2 --block 64 --arg i32[128]=random:2 --arg i32[128]=zero --arg i32[1]=zero
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int aggregated(int* n) {
    cg::coalesced_group g = cg::coalesced_threads();
    int base = 0;
    if (g.thread_rank() == 0) base = atomicAdd(n, (int)g.size());
    return g.shfl(base, 0) + g.thread_rank();
}
__global__ void filter(const int* in, int* out, int* n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 0) out[aggregated(n)] = in[i];
}
