// `cooperative_groups/memcpy_async.h`: copies that a group makes together.
namespace cooperative_groups {
template <typename G> struct __is_tile { static constexpr bool value = false; };
template <unsigned N, typename P> struct __is_tile<thread_block_tile<N, P>> { static constexpr bool value = true; };

template <int bytes> __device__ inline void __copy_unit(char* to, const char* from, size_t at)
{
    using piece = typename __piece<bytes>::type;
    if constexpr (__CUDA_ARCH__ >= 800 && bytes >= 4)
        __copy_piece<bytes>(to + at * bytes, from + at * bytes);
    else
        ((piece*)to)[at] = ((const piece*)from)[at];
}
// So many pieces. In a tile all lanes copy in the last round, too, those that have nothing left the last piece.
template <int bytes, typename G> __device__ inline void __copy_units(const G& group, char* to, const char* from, size_t count)
{
    if constexpr (__is_tile<G>::value) {
        constexpr unsigned threads = G::size();
        const size_t whole = count - count % threads;
        for (size_t at = 0; at < whole; at += threads)
            __copy_unit<bytes>(to, from, at + group.thread_rank());
        const unsigned rest = (unsigned)(count % threads);
        if (rest != 0)
            __copy_unit<bytes>(to, from, whole + min(group.thread_rank(), rest - 1));
    } else {
        for (size_t at = group.thread_rank(); at < count; at += group.size())
            __copy_unit<bytes>(to, from, at);
    }
}
// Bytes up to where both addresses are aligned, pieces of so many bytes, and the bytes behind.
template <int bytes, typename G> __device__ inline void __copy_aligned(const G& group, char* to, const char* from, size_t size)
{
    const size_t before = (0 - (size_t)from) & (bytes - 1);
    __copy_units<1>(group, to, from, before);
    const size_t count = (size - before) / bytes, done = before + count * bytes;
    __copy_units<bytes>(group, to + before, from + before, count);
    __copy_units<1>(group, to + done, from + done, size - done);
}
template <int align, typename G> __device__ inline void __copy(const G& group, void* to, const void* from, size_t size)
{
    if constexpr (align >= 4) {
        constexpr int bytes = align < 16 ? align : 16;
        __copy_units<bytes>(group, (char*)to, (const char*)from, size / bytes);
    } else {
        const unsigned apart = (unsigned)(size_t)to ^ (unsigned)(size_t)from;
        if ((apart & 1) != 0 || size < 2)
            __copy_units<1>(group, (char*)to, (const char*)from, size);
        else if ((apart & 2) != 0)
            __copy_aligned<2>(group, (char*)to, (const char*)from, size);
        else if ((apart & 4) != 0 && size >= 4)
            __copy_aligned<4>(group, (char*)to, (const char*)from, size);
        else if ((apart & 8) != 0 && size >= 8)
            __copy_aligned<8>(group, (char*)to, (const char*)from, size);
        else if ((apart & 12) == 0 && size >= 16)
            __copy_aligned<16>(group, (char*)to, (const char*)from, size);
        else
            __copy_units<1>(group, (char*)to, (const char*)from, size);
    }
    if constexpr (__CUDA_ARCH__ >= 800)
        asm volatile("cp.async.commit_group;" : : : "memory");
}

template <typename G, typename T> __device__ inline void memcpy_async(const G& group, T* to, const T* from, size_t size) { __copy<alignof(T)>(group, to, from, size); }
template <typename G> __device__ inline void memcpy_async(const G& group, void* to, const void* from, size_t size) { __copy<1>(group, to, from, size); }
template <typename G, typename T> __device__ inline void memcpy_async(const G& group, T* to, size_t room, const T* from, size_t count) { __copy<alignof(T)>(group, to, from, min(room, count) * sizeof(T)); }
template <typename G, typename T, size_t align> __device__ inline void memcpy_async(const G& group, T* to, const T* from, const cuda::aligned_size_t<align>& size) { __copy<(align > alignof(T) ? align : alignof(T))>(group, to, from, size); }

template <unsigned left, typename G> __device__ inline void wait_prior(const G& group)
{
    if constexpr (__CUDA_ARCH__ >= 800)
        __wait_for_groups(left);
    group.sync();
}
template <typename G> __device__ inline void wait(const G& group) { wait_prior<0>(group); }
}
