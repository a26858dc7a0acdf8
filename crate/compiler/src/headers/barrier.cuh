// `cuda/barrier`. A block's barrier is an object of the hardware from compute_80 on; others are a word whose upper half counts
// up to its top bit, which tells the phases apart, and whose lower half has what a phase begins with.
template <typename O, typename S> __device__ inline unsigned long long __add_to_word(unsigned long long* p, unsigned long long v)
{
    unsigned long long old;
    asm volatile("atom.add.@O@.@S@.u64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
    return old;
}
// Counts some that arrive; the last gives the next phase its count.
template <typename S> __device__ inline unsigned long long __count_in(unsigned long long* p, unsigned long long arrived)
{
    const unsigned long long by = arrived << 32, old = __add_to_word<__ptx_acq_rel, S>(p, by);
    if ((long long)((old + by) ^ old) < 0)
        __add_to_word<__ptx_relaxed, S>(p, old << 32);
    return old & 0x8000000000000000ull;
}
template <typename S> __device__ inline unsigned long long __counted(const unsigned long long* p)
{
    unsigned long long now;
    asm volatile("ld.acquire.@S@.b64 %0, [%1];" : "=l"(now) : "l"(p) : "memory");
    return now;
}
// The lanes that arrive together do it by one of them.
template <typename S> __device__ inline unsigned long long __arrive_together(unsigned long long* p, unsigned long long arrived)
{
    unsigned lane;
    const unsigned active = __activemask();
    const unsigned alike = __match_any_sync(active, arrived), same = alike & __match_any_sync(active, (unsigned long long)p);
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    const unsigned first = __ffs(same) - 1;
    unsigned long long phase = 0;
    __syncwarp(active);
    if (lane == first)
        phase = __count_in<S>(p, arrived * __popc(same));
    return __shfl_sync(same, phase, first);
}

namespace cuda {
enum class async_contract_fulfillment { none, async };
struct __no_completion { };

template <thread_scope S = thread_scope_system, typename F = __no_completion> struct barrier {
    using arrival_token = unsigned long long;
    using __s = typename __scope<S>::type;
    unsigned long long __state;
    static_assert(sizeof(F) == sizeof(__no_completion), "a barrier with a function at its end");
    barrier() = default;
    __device__ barrier(long expected) { __begin(expected); }

    __device__ static constexpr bool __may_be_hardware() { return S == thread_scope_block && __CUDA_ARCH__ >= 800; }
    __device__ unsigned __at() const { return (unsigned)__cvta_generic_to_shared(&__state); }
    __device__ void __begin(long expected)
    {
        if constexpr (__may_be_hardware()) {
            if (__isShared(&__state)) {
                asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(__at()), "r"((unsigned)expected) : "memory");
                return;
            }
        }
        __state = (0x8000000000000000ull - ((unsigned long long)expected << 32)) | (0x80000000ull - expected);
    }
    __device__ arrival_token arrive(long n = 1)
    {
        if constexpr (__may_be_hardware()) {
            if (__isShared(&__state)) {
                unsigned long long token;
                if constexpr (__CUDA_ARCH__ >= 900) {
                    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(__at()), "r"((unsigned)n) : "memory");
                } else {
                    if (n > 1)
                        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(__at()), "r"((unsigned)n - 1) : "memory");
                    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(__at()) : "memory");
                }
                return token;
            }
        }
        return __arrive_together<__s>(&__state, n);
    }
    __device__ bool __is_over(arrival_token token) const
    {
        if constexpr (__may_be_hardware()) {
            if (__isShared(&__state)) {
                unsigned is;
                if constexpr (__CUDA_ARCH__ >= 900)
                    asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "r"(__at()), "l"(token) : "memory");
                else
                    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "r"(__at()), "l"(token) : "memory");
                return is != 0;
            }
        }
        return (long long)(__counted<__s>(&__state) ^ token) < 0;
    }
    __device__ bool __is_past(bool parity) const
    {
        if constexpr (__may_be_hardware()) {
            if (__isShared(&__state)) {
                unsigned is;
                if constexpr (__CUDA_ARCH__ >= 900)
                    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "r"(__at()), "r"((unsigned)parity) : "memory");
                else
                    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "r"(__at()), "r"((unsigned)parity) : "memory");
                return is != 0;
            }
        }
        return (__counted<__s>(&__state) >> 63 != 0) != parity;
    }
    __device__ void wait(arrival_token token) const
    {
        while (!__is_over(token))
            ;
    }
    __device__ void wait_parity(bool parity) const
    {
        while (!__is_past(parity))
            ;
    }
    __device__ void arrive_and_wait() { wait(arrive()); }
    __device__ void arrive_and_drop()
    {
        if constexpr (__may_be_hardware()) {
            if (__isShared(&__state)) {
                asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" : : "r"(__at()) : "memory");
                return;
            }
        }
        __add_to_word<__ptx_relaxed, __s>(&__state, 1);
        __count_in<__s>(&__state, 1);
    }
    __device__ static constexpr long max() { return __may_be_hardware() ? (1 << 20) - 1 : 0x7fffffff; }
};

namespace device {
template <thread_scope S> __device__ inline unsigned long long* barrier_native_handle(barrier<S>& b) { return &b.__state; }
__device__ inline unsigned long long barrier_arrive_tx(barrier<thread_scope_block>& b, long n, long bytes)
{
    unsigned long long token;
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(b.__at()), "r"((unsigned)bytes) : "memory");
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(b.__at()), "r"((unsigned)n) : "memory");
    return token;
}
__device__ inline void barrier_expect_tx(barrier<thread_scope_block>& b, long bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(b.__at()), "r"((unsigned)bytes) : "memory");
}
template <typename T, size_t align> __device__ inline void memcpy_async_tx(T* to, const T* from, aligned_size_t<align> size, barrier<thread_scope_block>& b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)), "r"((unsigned)(size_t)size), "r"(b.__at()) : "memory");
}
}

// A copy that a barrier waits for.
template <int align, typename G, thread_scope S> __device__ inline async_contract_fulfillment __copy_for(const G& group, void* to, const void* from, size_t size, barrier<S>& b)
{
    if constexpr (__CUDA_ARCH__ >= 900 && align >= 16 && S == thread_scope_block) {
        if (__isShared(to) && __isGlobal(from) && __isShared(&b.__state)) {
            if (group.thread_rank() == 0) {
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)), "r"((unsigned)size), "r"(b.__at()) : "memory");
                asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(b.__at()), "r"((unsigned)size) : "memory");
            }
            return async_contract_fulfillment::async;
        }
    }
    if (!__copy_by<align>(group, to, from, size))
        return async_contract_fulfillment::none;
    if (S == thread_scope_block && __isShared(&b.__state))
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"(b.__at()) : "memory");
    else
        asm volatile("cp.async.wait_all;" : : : "memory");
    return async_contract_fulfillment::async;
}
template <typename G, typename T, size_t align, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(const G& group, T* to, const T* from, aligned_size_t<align> size, barrier<S>& b) { return __copy_for<(align > alignof(T) ? align : alignof(T))>(group, to, from, size, b); }
template <typename G, typename T, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(const G& group, T* to, const T* from, size_t size, barrier<S>& b) { return __copy_for<alignof(T)>(group, to, from, size, b); }
template <typename T, size_t align, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(T* to, const T* from, aligned_size_t<align> size, barrier<S>& b) { return __copy_for<(align > alignof(T) ? align : alignof(T))>(__alone(), to, from, size, b); }
template <typename T, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(T* to, const T* from, size_t size, barrier<S>& b) { return __copy_for<alignof(T)>(__alone(), to, from, size, b); }
template <typename G, size_t align, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(const G& group, void* to, const void* from, aligned_size_t<align> size, barrier<S>& b) { return __copy_for<align>(group, to, from, size, b); }
template <typename G, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(const G& group, void* to, const void* from, size_t size, barrier<S>& b) { return __copy_for<1>(group, to, from, size, b); }
template <size_t align, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(void* to, const void* from, aligned_size_t<align> size, barrier<S>& b) { return __copy_for<align>(__alone(), to, from, size, b); }
template <thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(void* to, const void* from, size_t size, barrier<S>& b) { return __copy_for<1>(__alone(), to, from, size, b); }
}

// Found by the type of what it begins.
template <cuda::thread_scope S> __device__ inline void init(cuda::barrier<S>* b, long expected) { b->__begin(expected); }
