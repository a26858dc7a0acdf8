// launch: --grid 1 --block 64 --arg i32[64]=random:3 --arg i32[1]=zero
#include <cuda/atomic>
__global__ void count(const int* in, int* out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> n;
    if (threadIdx.x == 0) n.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    if (in[threadIdx.x] & 1) n.fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) *out = n.load();
}
