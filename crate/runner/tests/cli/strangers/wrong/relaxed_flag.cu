// launch: --grid 2 --block 1 --arg i32[1]=zero --arg i32[1]=zero --arg i32[1]=zero
// finds: race
#include <cuda/atomic>
__global__ void handover(int* data, int* flag, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 0) {
        *data = 42; //!
        f.store(1, cuda::memory_order_relaxed);
    } else {
        while (f.load(cuda::memory_order_relaxed) == 0) ;
        *out = *data; //!
    }
}
