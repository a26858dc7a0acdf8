// launch: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
// finds: mbarrier,race
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void swap(const int* in, int* out) {
    __shared__ int s[64];
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, 64); //!
    s[threadIdx.x] = in[threadIdx.x];
    bar.arrive_and_wait(); //!
    out[threadIdx.x] = s[63 - threadIdx.x];
}
