// launch: --grid 2 --block 1 --arg i32[8]=zero --arg i32[1]=zero --arg i32[1]=zero
// finds: endless_loop
#include <cuda/atomic>
__global__ void queue(int* slots, int* tail, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> t(*tail);
    if (blockIdx.x == 0)
        for (int i = 0; i < 7; ++i) { slots[i] = i; t.store(i + 1, cuda::memory_order_release); }
    else {
        int s = 0;
        for (int i = 0; i < 8; ++i) {
            while (t.load(cuda::memory_order_acquire) <= i) ; //!
            s += slots[i];
        }
        *out = s;
    }
}
