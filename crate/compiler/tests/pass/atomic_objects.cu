// Atomic objects and references, their orders and scopes, and fences.
#include <cuda/atomic>
extern "C" __global__ void test(int* x, float* y, unsigned items, unsigned long long* z)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> c;
    if (threadIdx.x == 0) c.store(3, cuda::memory_order_relaxed);
    __syncthreads();
    int r = c.fetch_add(2); if (threadIdx.x) return;
    r += c.fetch_sub(1, cuda::std::memory_order_relaxed);
    r += c.load(cuda::memory_order_acquire);
    r += c.load();
    r += c.exchange(5, cuda::memory_order_acq_rel);
    int e = 5;
    r += c.compare_exchange_strong(e, 7);
    r += e;
    r += c.compare_exchange_weak(e, 7, cuda::memory_order_release, cuda::memory_order_relaxed);
    r += c.fetch_max(e); r += c.fetch_and(e, cuda::memory_order_relaxed); r += c++; r += ++c; r += (c += 3); r += c; c = 4;
    cuda::atomic_ref<int, cuda::thread_scope_device> d(*x);
    d.fetch_add(r, cuda::memory_order_release);
    cuda::atomic_ref<float, cuda::thread_scope_device> f(*y);
    f.fetch_add(r);
    f.fetch_sub(1.0f, cuda::memory_order_relaxed); f.fetch_max(r); f.store(f.load());
    cuda::atomic_ref<unsigned long long> g(*z);
    g.fetch_min(r);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
    cuda::atomic_thread_fence(cuda::memory_order_release);
    c.store(9);
    c.store(9, cuda::memory_order_release);
    while (c.load() == 8);

}
