// `cuda/pipeline`: stages that some threads fill and others empty. A thread's own counts groups of its copies; one of more
// threads has two barriers for each stage.
namespace cuda {
enum class pipeline_role { producer, consumer };

template <thread_scope S> struct __stage { barrier<S> __produced, __consumed; };
template <thread_scope S, int stages> struct pipeline_shared_state {
    __stage<S> __stages[stages];
    atomic<unsigned, S> __threads;
};

template <thread_scope S> struct pipeline {
    __stage<S>* __stages;
    atomic<unsigned, S>* __threads;
    unsigned char __count, __head, __tail;
    bool __fills, __empties, __is_active;
    __device__ pipeline(__stage<S>* stages, atomic<unsigned, S>* threads, int count)
        : __stages(stages), __threads(threads), __count(count), __head(0), __tail(0), __fills(true), __empties(false), __is_active(true) { }
    __device__ ~pipeline()
    {
        if (__is_active)
            quit();
    }
    // Whether this thread was the last.
    __device__ bool quit()
    {
        unsigned lane;
        const unsigned same = __match_any_sync(__activemask(), (unsigned long long)__threads), threads = __popc(same);
        const unsigned first = __ffs(same) - 1;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
        bool is_last = false;
        if (lane == first && __threads->fetch_sub(threads) == threads) {
            is_last = true;
            for (int stage = 0; stage < __count; stage++) {
                __ended(__stages[stage].__produced);
                __ended(__stages[stage].__consumed);
            }
        }
        __is_active = false;
        return is_last;
    }
    __device__ static void __ended(barrier<S>& b)
    {
        if constexpr (S == thread_scope_block && __CUDA_ARCH__ >= 800)
            if (__isShared(&b.__state))
                asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(b.__at()) : "memory");
    }
    __device__ void producer_acquire() { __stages[__head].__consumed.wait_parity(__fills); }
    __device__ void producer_commit()
    {
        barrier<S>& produced = __stages[__head].__produced;
        if constexpr (__CUDA_ARCH__ >= 800) {
            if (S == thread_scope_block && __isShared(&produced.__state))
                asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"(produced.__at()) : "memory");
            else
                asm volatile("cp.async.wait_all;" : : : "memory");
        }
        produced.arrive();
        if (++__head == __count) {
            __head = 0;
            __fills = !__fills;
        }
    }
    __device__ void consumer_wait() { __stages[__tail].__produced.wait_parity(__empties); }
    __device__ void consumer_release()
    {
        __stages[__tail].__consumed.arrive();
        if (++__tail == __count) {
            __tail = 0;
            __empties = !__empties;
        }
    }
};

template <typename G, thread_scope S, int stages> __device__ inline void __begin_stages(const G& group, pipeline_shared_state<S, stages>* state, unsigned producers, unsigned consumers)
{
    for (int stage = 0; stage < stages; stage++) {
        state->__stages[stage].__consumed.__begin(consumers);
        state->__stages[stage].__produced.__begin(producers);
    }
    state->__threads.store((unsigned)group.size(), memory_order_relaxed);
}
template <typename G, thread_scope S, int stages> __device__ inline pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, stages>* state)
{
    if (group.thread_rank() == 0)
        __begin_stages(group, state, (unsigned)group.size(), (unsigned)group.size());
    group.sync();
    return pipeline<S>(state->__stages, &state->__threads, stages);
}
template <typename G, thread_scope S, int stages> __device__ inline pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, stages>* state, size_t producers)
{
    if (group.thread_rank() == 0)
        __begin_stages(group, state, (unsigned)producers, (unsigned)(group.size() - producers));
    group.sync();
    return pipeline<S>(state->__stages, &state->__threads, stages);
}
template <typename G, thread_scope S, int stages> __device__ inline pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, stages>* state, pipeline_role role)
{
    if (group.thread_rank() == 0)
        state->__threads.store(0, memory_order_relaxed);
    group.sync();
    if (role == pipeline_role::producer) {
        unsigned lane;
        const unsigned same = __match_any_sync(__activemask(), (unsigned long long)&state->__threads), first = __ffs(same) - 1;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
        if (lane == first)
            state->__threads.fetch_add(__popc(same), memory_order_relaxed);
    }
    group.sync();
    if (group.thread_rank() == 0) {
        const unsigned producers = state->__threads.load(memory_order_relaxed);
        __begin_stages(group, state, producers, (unsigned)group.size() - producers);
    }
    group.sync();
    return pipeline<S>(state->__stages, &state->__threads, stages);
}

template <> struct pipeline<thread_scope_thread> {
    unsigned char __begun, __done;
    __device__ pipeline() : __begun(0), __done(0) { }
    __device__ bool quit() { return true; }
    __device__ void producer_acquire() { }
    __device__ void producer_commit()
    {
        if constexpr (__CUDA_ARCH__ >= 800) {
            asm volatile("cp.async.commit_group;" : : : "memory");
            __begun++;
        }
    }
    __device__ void consumer_wait()
    {
        if (__begun != __done) {
            __wait_for_groups((unsigned char)(__begun - __done - 1));
            __done++;
        }
    }
    __device__ void consumer_release() { }
};
__device__ inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }
template <int left> __device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipe)
{
    if constexpr (__CUDA_ARCH__ >= 800) {
        __wait_for_groups(left);
        pipe.__done = (unsigned char)(pipe.__begun - left);
    }
}
template <thread_scope S> __device__ inline void pipeline_producer_commit(pipeline<thread_scope_thread>& pipe, barrier<S>& b)
{
    if constexpr (__CUDA_ARCH__ >= 800) {
        if (S == thread_scope_block && __isShared(&b.__state))
            asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"(b.__at()) : "memory");
        else
            asm volatile("cp.async.wait_all;" : : : "memory");
    }
}

template <int align, typename G> __device__ inline async_contract_fulfillment __copy_for_stage(const G& group, void* to, const void* from, size_t size)
{
    return __copy_by<align>(group, to, from, size) ? async_contract_fulfillment::async : async_contract_fulfillment::none;
}
template <typename G, typename T, size_t align, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(const G& group, T* to, const T* from, aligned_size_t<align> size, pipeline<S>& pipe) { return __copy_for_stage<(align > alignof(T) ? align : alignof(T))>(group, to, from, size); }
template <typename G, typename T, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(const G& group, T* to, const T* from, size_t size, pipeline<S>& pipe) { return __copy_for_stage<alignof(T)>(group, to, from, size); }
template <typename T, size_t align, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(T* to, const T* from, aligned_size_t<align> size, pipeline<S>& pipe) { return __copy_for_stage<(align > alignof(T) ? align : alignof(T))>(__alone(), to, from, size); }
template <typename T, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(T* to, const T* from, size_t size, pipeline<S>& pipe) { return __copy_for_stage<alignof(T)>(__alone(), to, from, size); }
template <typename G, size_t align, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(const G& group, void* to, const void* from, aligned_size_t<align> size, pipeline<S>& pipe) { return __copy_for_stage<align>(group, to, from, size); }
template <typename G, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(const G& group, void* to, const void* from, size_t size, pipeline<S>& pipe) { return __copy_for_stage<1>(group, to, from, size); }
template <size_t align, thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(void* to, const void* from, aligned_size_t<align> size, pipeline<S>& pipe) { return __copy_for_stage<align>(__alone(), to, from, size); }
template <thread_scope S> __device__ inline async_contract_fulfillment memcpy_async(void* to, const void* from, size_t size, pipeline<S>& pipe) { return __copy_for_stage<1>(__alone(), to, from, size); }
}
