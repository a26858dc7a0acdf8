// launch: --grid 2 --block 1 --arg i32[4]=zero --arg i32[2]=zero --arg i32[1]=zero --arg i32=50
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
__global__ void ring(int* slots, int* ht, int* out, int n) {
    A head(ht[0]), tail(ht[1]);
    if (blockIdx.x == 0) {
        for (int i = 0; i < n; ++i) {
            while (i - head.load(cuda::memory_order_acquire) >= 4) ;
            slots[i % 4] = i * i;
            tail.store(i + 1, cuda::memory_order_release);
        }
    } else {
        int s = 0;
        for (int i = 0; i < n; ++i) {
            while (tail.load(cuda::memory_order_acquire) <= i) ;
            s += slots[i % 4];
            head.store(i + 1, cuda::memory_order_release);
        }
        *out = s;
    }
}
