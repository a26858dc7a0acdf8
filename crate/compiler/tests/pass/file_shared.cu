// Shared memory outside of functions, and the last block of a launch.
#include <cuda/atomic>
__device__ unsigned int count = 0;
__shared__ bool isLastBlockDone;
__device__ float calculatePartialSum(const float* a, unsigned n) { __shared__ float s[32]; s[threadIdx.x] = a[(blockIdx.x * 32 + threadIdx.x) % n]; __syncthreads(); float r = 0; for (int i = 0; i < 32; i++) r += s[i]; return r; }
extern "C" __global__ void test(const float* array, float* result, unsigned items)
{
    float partialSum = calculatePartialSum(array, items);
    cuda::atomic_ref<unsigned int, cuda::thread_scope_device> c(count);
    if (threadIdx.x == 0) {
        result[blockIdx.x] = partialSum;
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        unsigned int value = c.fetch_add(1);
        isLastBlockDone = (value == (gridDim.x - 1));
    }
    __syncthreads();
    if (isLastBlockDone && threadIdx.x == 0) { c.store(0, cuda::std::memory_order_relaxed); }
}
