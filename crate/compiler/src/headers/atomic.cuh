// `cuda/atomic`: numbers and words in memory that threads change together. What is smaller than a word has a word of its own.
struct __ptx_add { };
struct __ptx_min { };
struct __ptx_max { };
struct __ptx_and { };
struct __ptx_or { };
struct __ptx_xor { };
struct __ptx_exch { };
struct __ptx_b32 { };
struct __ptx_b64 { };
struct __ptx_s32 { };
struct __ptx_u32 { };
struct __ptx_s64 { };
struct __ptx_u64 { };
struct __ptx_f32 { };
struct __ptx_f64 { };

// Of each size the word, and of each number what it is added and compared as.
template <int size> struct __word_of { using type = unsigned; using plain = __ptx_b32; };
template <> struct __word_of<8> { using type = unsigned long long; using plain = __ptx_b64; };
template <typename T> struct __number_of { static constexpr bool is_float = false, is_number = false; };
template <> struct __number_of<int> { static constexpr bool is_float = false, is_number = true; using sum = __ptx_s32; using order = __ptx_s32; };
template <> struct __number_of<unsigned> { static constexpr bool is_float = false, is_number = true; using sum = __ptx_u32; using order = __ptx_u32; };
template <> struct __number_of<long> { static constexpr bool is_float = false, is_number = true; using sum = __ptx_u64; using order = __ptx_s64; };
template <> struct __number_of<long long> { static constexpr bool is_float = false, is_number = true; using sum = __ptx_u64; using order = __ptx_s64; };
template <> struct __number_of<unsigned long> { static constexpr bool is_float = false, is_number = true; using sum = __ptx_u64; using order = __ptx_u64; };
template <> struct __number_of<unsigned long long> { static constexpr bool is_float = false, is_number = true; using sum = __ptx_u64; using order = __ptx_u64; };
template <> struct __number_of<float> { static constexpr bool is_float = true, is_number = true; using sum = __ptx_f32; };
template <> struct __number_of<double> { static constexpr bool is_float = true, is_number = true; using sum = __ptx_f64; };

template <typename W, typename T> __device__ inline W __as_word(T v) { W w = 0; memcpy(&w, &v, sizeof(T)); return w; }
template <typename T, typename W> __device__ inline T __from_word(W w) { T v; memcpy(&v, &w, sizeof(T)); return v; }

template <typename Kind, typename S> __device__ inline void __fence() { asm volatile("fence.@Kind@.@S@;" : : : "memory"); }
template <typename O, typename S, typename W> __device__ inline W __load_word(const W* p)
{
    W w;
    if constexpr (sizeof(W) == 8)
        asm volatile("ld.@O@.@S@.b64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
    else
        asm volatile("ld.@O@.@S@.b32 %0, [%1];" : "=r"(w) : "l"(p) : "memory");
    return w;
}
template <typename O, typename S, typename W> __device__ inline void __store_word(W* p, W w)
{
    if constexpr (sizeof(W) == 8)
        asm volatile("st.@O@.@S@.b64 [%0], %1;" : : "l"(p), "l"(w) : "memory");
    else
        asm volatile("st.@O@.@S@.b32 [%0], %1;" : : "l"(p), "r"(w) : "memory");
}
template <typename Op, typename K, typename O, typename S, typename T> __device__ inline T __atom(T* p, T v)
{
    T old;
    if constexpr (__number_of<T>::is_float && sizeof(T) == 8)
        asm volatile("atom.@O@.@S@.@Op@.@K@ %0, [%1], %2;" : "=d"(old) : "l"(p), "d"(v) : "memory");
    else if constexpr (__number_of<T>::is_float)
        asm volatile("atom.@O@.@S@.@Op@.@K@ %0, [%1], %2;" : "=f"(old) : "l"(p), "f"(v) : "memory");
    else if constexpr (sizeof(T) == 8)
        asm volatile("atom.@O@.@S@.@Op@.@K@ %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
    else
        asm volatile("atom.@O@.@S@.@Op@.@K@ %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}
template <typename O, typename S, typename W> __device__ inline W __cas_word(W* p, W expected, W w)
{
    W old;
    if constexpr (sizeof(W) == 8)
        asm volatile("atom.@O@.@S@.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"(p), "l"(expected), "l"(w) : "memory");
    else
        asm volatile("atom.@O@.@S@.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(p), "r"(expected), "r"(w) : "memory");
    return old;
}

// The same with an order that is a value; the strongest is a fence and what acquires.
template <typename S, typename W> __device__ inline W __load_in(const W* p, cuda::memory_order order)
{
    if (order == cuda::memory_order_relaxed)
        return __load_word<__ptx_relaxed, S>(p);
    if (order == cuda::memory_order_seq_cst)
        __fence<__ptx_sc, S>();
    return __load_word<__ptx_acquire, S>(p);
}
template <typename S, typename W> __device__ inline void __store_in(W* p, W w, cuda::memory_order order)
{
    if (order == cuda::memory_order_release) {
        __store_word<__ptx_release, S>(p, w);
        return;
    }
    if (order == cuda::memory_order_seq_cst)
        __fence<__ptx_sc, S>();
    __store_word<__ptx_relaxed, S>(p, w);
}
template <typename Op, typename K, typename S, typename T> __device__ inline T __atom_in(T* p, T v, cuda::memory_order order)
{
    if (order == cuda::memory_order_relaxed)
        return __atom<Op, K, __ptx_relaxed, S>(p, v);
    if (order == cuda::memory_order_release)
        return __atom<Op, K, __ptx_release, S>(p, v);
    if (order == cuda::memory_order_acq_rel)
        return __atom<Op, K, __ptx_acq_rel, S>(p, v);
    if (order == cuda::memory_order_seq_cst)
        __fence<__ptx_sc, S>();
    return __atom<Op, K, __ptx_acquire, S>(p, v);
}
template <typename S, typename W> __device__ inline W __cas_in(W* p, W expected, W w, cuda::memory_order order)
{
    if (order == cuda::memory_order_relaxed)
        return __cas_word<__ptx_relaxed, S>(p, expected, w);
    if (order == cuda::memory_order_release)
        return __cas_word<__ptx_release, S>(p, expected, w);
    if (order == cuda::memory_order_acq_rel)
        return __cas_word<__ptx_acq_rel, S>(p, expected, w);
    if (order == cuda::memory_order_seq_cst)
        __fence<__ptx_sc, S>();
    return __cas_word<__ptx_acquire, S>(p, expected, w);
}
// The order where a comparison may fail in another one.
__device__ constexpr cuda::memory_order __joined(cuda::memory_order yes, cuda::memory_order no)
{
    if (no == cuda::memory_order_seq_cst || yes == cuda::memory_order_seq_cst)
        return cuda::memory_order_seq_cst;
    if (no == cuda::memory_order_relaxed)
        return yes;
    return yes == cuda::memory_order_release || yes == cuda::memory_order_acq_rel ? cuda::memory_order_acq_rel : cuda::memory_order_acquire;
}

// What both kinds have. `Own` knows where the word lies.
template <typename T, int S, typename Own> struct __atomic {
    using value_type = T;
    using __s = typename __scope<S>::type;
    using __w = typename __word_of<sizeof(T)>::type;
    using __k = typename __word_of<sizeof(T)>::plain;
    __device__ __w* __at() const { return ((const Own*)this)->__place(); }
    __device__ T __sum(T v, cuda::memory_order order) const
    {
        static_assert(__number_of<T>::is_number, "an atomic sum of this type");
        return __atom_in<__ptx_add, typename __number_of<T>::sum, __s>((T*)__at(), v, order);
    }
    __device__ static constexpr bool is_lock_free() { return true; }

    __device__ T load(cuda::memory_order order = cuda::memory_order_seq_cst) const { return __from_word<T>(__load_in<__s>(__at(), order)); }
    __device__ void store(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { __store_in<__s>(__at(), __as_word<__w>(v), order); }
    __device__ T exchange(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { return __from_word<T>(__atom_in<__ptx_exch, __k, __s>(__at(), __as_word<__w>(v), order)); }
    __device__ bool compare_exchange_strong(T& expected, T v, cuda::memory_order yes, cuda::memory_order no) const
    {
        const __w wanted = __as_word<__w>(expected), found = __cas_in<__s>(__at(), wanted, __as_word<__w>(v), __joined(yes, no));
        expected = __from_word<T>(found);
        return found == wanted;
    }
    __device__ bool compare_exchange_strong(T& expected, T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { return compare_exchange_strong(expected, v, order, order == cuda::memory_order_acq_rel ? cuda::memory_order_acquire : order == cuda::memory_order_release ? cuda::memory_order_relaxed : order); }
    __device__ bool compare_exchange_weak(T& expected, T v, cuda::memory_order yes, cuda::memory_order no) const { return compare_exchange_strong(expected, v, yes, no); }
    __device__ bool compare_exchange_weak(T& expected, T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { return compare_exchange_strong(expected, v, order); }

    __device__ T fetch_add(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { return __sum(v, order); }
    __device__ T fetch_sub(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { return fetch_add((T)-v, order); }
    __device__ T fetch_and(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { return __atom_in<__ptx_and, __k, __s>((T*)__at(), v, order); }
    __device__ T fetch_or(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { return __atom_in<__ptx_or, __k, __s>((T*)__at(), v, order); }
    __device__ T fetch_xor(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const { return __atom_in<__ptx_xor, __k, __s>((T*)__at(), v, order); }
    template <bool least> __device__ T __fetch_end(T v, cuda::memory_order order) const
    {
        T found = load(cuda::memory_order_relaxed);
        while (!compare_exchange_weak(found, (least ? v < found : found < v) ? v : found, order))
            ;
        return found;
    }
    __device__ T fetch_min(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const
    {
        if constexpr (__number_of<T>::is_float)
            return __fetch_end<true>(v, order);
        else
            return __atom_in<__ptx_min, typename __number_of<T>::order, __s>((T*)__at(), v, order);
    }
    __device__ T fetch_max(T v, cuda::memory_order order = cuda::memory_order_seq_cst) const
    {
        if constexpr (__number_of<T>::is_float)
            return __fetch_end<false>(v, order);
        else
            return __atom_in<__ptx_max, typename __number_of<T>::order, __s>((T*)__at(), v, order);
    }
    __device__ void wait(T old, cuda::memory_order order = cuda::memory_order_seq_cst) const
    {
        while (__as_word<__w>(load(order)) == __as_word<__w>(old))
            ;
    }
    __device__ void notify_one() const { }
    __device__ void notify_all() const { }

    __device__ operator T() const { return load(); }
    __device__ T operator++() const { return fetch_add((T)1) + (T)1; }
    __device__ T operator--() const { return fetch_add((T)-1) - (T)1; }
    __device__ T operator++(int) const { return fetch_add((T)1); }
    __device__ T operator--(int) const { return fetch_add((T)-1); }
    __device__ T operator+=(T v) const { return fetch_add(v) + v; }
    __device__ T operator-=(T v) const { return fetch_sub(v) - v; }
    __device__ T operator&=(T v) const { return fetch_and(v) & v; }
    __device__ T operator|=(T v) const { return fetch_or(v) | v; }
    __device__ T operator^=(T v) const { return fetch_xor(v) ^ v; }
};

namespace cuda {
template <typename T, thread_scope S = thread_scope_system> struct atomic : __atomic<T, S, atomic<T, S>> {
    typename __word_of<sizeof(T)>::type __value;
    atomic() = default;
    __device__ atomic(T v) : __value(__as_word<typename __word_of<sizeof(T)>::type>(v)) { }
    __device__ typename __word_of<sizeof(T)>::type* __place() const { return (typename __word_of<sizeof(T)>::type*)&__value; }
    __device__ T operator=(T v) { this->store(v); return v; }
};
template <typename T, thread_scope S = thread_scope_system> struct atomic_ref : __atomic<T, S, atomic_ref<T, S>> {
    static_assert(sizeof(T) >= 4, "an atomic reference to what is less than a word");
    typename __word_of<sizeof(T)>::type* __p;
    __device__ explicit atomic_ref(T& v) : __p((typename __word_of<sizeof(T)>::type*)&v) { }
    __device__ typename __word_of<sizeof(T)>::type* __place() const { return __p; }
    __device__ T operator=(T v) const { this->store(v); return v; }
};
template <typename S> __device__ inline void __fence_in(memory_order order)
{
    if (order == memory_order_seq_cst)
        __fence<__ptx_sc, S>();
    else if (order != memory_order_relaxed)
        __fence<__ptx_acq_rel, S>();
}
__device__ inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system)
{
    if (scope == thread_scope_block)
        __fence_in<__ptx_cta>(order);
    else if (scope == thread_scope_device)
        __fence_in<__ptx_gpu>(order);
    else if (scope == thread_scope_system)
        __fence_in<__ptx_sys>(order);
}
struct atomic_flag {
    atomic<bool> __is;
    __device__ bool test(memory_order order = memory_order_seq_cst) const { return __is.load(order); }
    __device__ bool test_and_set(memory_order order = memory_order_seq_cst) { return __is.exchange(true, order); }
    __device__ void clear(memory_order order = memory_order_seq_cst) { __is.store(false, order); }
};
}
