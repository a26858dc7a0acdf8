// launch: --grid 2 --block 32 --arg i32[32]=zero --arg i32[1]=zero --arg i32[32]=zero
// finds: race
#include <cuda/atomic>
__global__ void handover(int* data, int* flag, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_block> f(*flag);
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x; //!
        __syncthreads();
        if (threadIdx.x == 0) f.store(1, cuda::memory_order_release); //!
    } else {
        if (threadIdx.x == 0)
            while (f.load(cuda::memory_order_acquire) == 0) ; //!
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x]; //!
    }
}
