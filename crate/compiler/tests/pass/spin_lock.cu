// A lock, and a sum of all blocks.
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> lock;
__device__ cuda::atomic<unsigned long long, cuda::thread_scope_device> total{0};
struct Mutex { cuda::std::atomic<int>* flag; __device__ void acquire() { int free = 0; while (!flag->compare_exchange_weak(free, 1, cuda::std::memory_order_acquire)) free = 0; } __device__ void release() { flag->store(0, cuda::std::memory_order_release); } };
extern "C" __global__ void test(const unsigned* x, unsigned* y, unsigned items)
{
    __shared__ cuda::std::atomic<int> flag;
    __shared__ int shared_sum;
    if (threadIdx.x == 0) { flag.store(0); shared_sum = 0; }
    __syncthreads();
    if (threadIdx.x % 32 == 0) { Mutex m{&flag}; m.acquire(); shared_sum += x[threadIdx.x]; m.release(); }
    __syncthreads();
    total.fetch_add(x[threadIdx.x], cuda::memory_order_relaxed);
    if (threadIdx.x == 0) y[blockIdx.x] = shared_sum;
}
