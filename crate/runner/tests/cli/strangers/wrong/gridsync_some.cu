// launch: --grid 4 --block 32 --cooperative --arg i32[128]=zero --arg i32=100
// finds: barrier_divergence,endless_loop
#include <cooperative_groups.h>
__global__ void two(int* d, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    d[i] = i;
    if (blockIdx.x * 32 < 64) cooperative_groups::this_grid().sync(); //!
    d[i] += 1;
}
