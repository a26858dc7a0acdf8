// launch: --grid 2 --block 1 --arg u32[1]=zero --arg i32[2]=zero --arg i32[1]=zero
#include <cuda/atomic>
using U = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
using I = cuda::atomic_ref<int, cuda::thread_scope_device>;
__global__ void seqlock(unsigned* seq, int* d, int* out) {
    U s(*seq); I a(d[0]), b(d[1]);
    if (blockIdx.x == 0) {
        for (int k = 1; k <= 10; ++k) {
            s.store(2 * k - 1, cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
            a.store(k, cuda::memory_order_relaxed);
            b.store(-k, cuda::memory_order_relaxed);
            s.store(2 * k, cuda::memory_order_release);
        }
    } else {
        int sum;
        unsigned before, after;
        do {
            before = s.load(cuda::memory_order_acquire);
            sum = a.load(cuda::memory_order_relaxed) + b.load(cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
            after = s.load(cuda::memory_order_relaxed);
        } while (before != after || before % 2);
        *out = sum;
    }
}
