// launch: --grid 6 --block 32 --arg i32[192]=iota --arg i32[192]=zero --arg i32[6]=zero --arg i32[6]=zero
#include <cuda/atomic>
__global__ void chained(const int* in, int* out, int* sums, int* flags) {
    __shared__ int carry;
    int v = in[blockIdx.x * 32 + threadIdx.x];
    for (int o = 1; o < 32; o *= 2) { int u = __shfl_up_sync(~0u, v, o); if (threadIdx.x >= o) v += u; }
    if (threadIdx.x == 31) {
        int before = 0;
        if (blockIdx.x > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> f(flags[blockIdx.x - 1]);
            while (f.load(cuda::std::memory_order_acquire) == 0) ;
            before = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = before + v;
        cuda::atomic_ref<int, cuda::thread_scope_device>(flags[blockIdx.x]).store(1, cuda::std::memory_order_release);
        carry = before;
    }
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = v + carry;
}
