// launch: --grid 1 --block 32 --arg i32[32]=iota
// finds: assert
#include <assert.h>
__global__ void check(const int* a) {
    assert(a[threadIdx.x] < 31); //!
}
