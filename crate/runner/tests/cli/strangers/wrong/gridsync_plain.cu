// launch: --grid 4 --block 32 --arg i32[128]=zero
// finds: error,limit,trap,invalid_address
#include <cooperative_groups.h>
__global__ void two(int* d) {
    int i = blockIdx.x * 32 + threadIdx.x;
    d[i] = i;
    cooperative_groups::this_grid().sync(); //!
    d[i] += d[127 - i] > 0;
}
