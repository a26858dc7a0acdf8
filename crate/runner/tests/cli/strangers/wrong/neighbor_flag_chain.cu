// launch: --grid 4 --block 1 --arg i32[4]=zero --arg i32[4]=zero
// finds: endless_loop
#include <cuda/atomic>
__global__ void chain(int* flags, int* out) {
    int b = blockIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[(b + 3) % 4]), mine(flags[b]);
    while (before.load(cuda::memory_order_acquire) == 0) ; //!
    out[b] = b;
    mine.store(1, cuda::memory_order_release);
}
