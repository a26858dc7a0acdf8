// launch: --grid 1 --block 64 --arg f32[50]=random:1 --arg f32[50]=zero --arg i32=50
// finds: mbarrier,endless_loop
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void swap(const float* in, float* out, int n) {
    __shared__ float s[64];
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    int i = threadIdx.x;
    if (i >= n) return;
    s[i] = in[i];
    bar.arrive_and_wait(); //!
    out[i] = s[n - 1 - i];
}
