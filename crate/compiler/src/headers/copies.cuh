// Copies into shared memory that run while threads go on: by `cp.async` in pieces of 4, 8 or 16 bytes where the addresses and
// the architecture allow it, else by reading and writing. Who waits for them is said by who calls.
template <int bytes> struct __piece { using type = uint4; };
template <> struct __piece<1> { using type = unsigned char; };
template <> struct __piece<2> { using type = unsigned short; };
template <> struct __piece<4> { using type = unsigned; };
template <> struct __piece<8> { using type = uint2; };

// A thread alone as a group.
struct __alone {
    __device__ static constexpr unsigned thread_rank() { return 0; }
    __device__ static constexpr unsigned size() { return 1; }
};

template <int bytes> __device__ inline void __copy_piece(void* to, const void* from)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    const unsigned long where = __cvta_generic_to_global(from);
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 16;" : : "r"(at), "l"(where) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], @bytes@, @bytes@;" : : "r"(at), "l"(where) : "memory");
}
// Whether the copies are on their way, not made.
template <int align, typename G> __device__ inline bool __copy_by(const G& group, void* to, const void* from, size_t size)
{
    constexpr int bytes = align < 16 ? align : 16;
    if constexpr (__CUDA_ARCH__ >= 800 && bytes >= 4) {
        if (__isShared(to) && __isGlobal(from)) {
            const int step = (int)group.size() * bytes;
            for (int at = (int)group.thread_rank() * bytes; at < (int)size; at += step)
                __copy_piece<bytes>((char*)to + at, (const char*)from + at);
            return true;
        }
    }
    using piece = typename __piece<bytes>::type;
    for (size_t at = group.thread_rank(); at * bytes < size; at += group.size())
        ((piece*)to)[at] = ((const piece*)from)[at];
    return false;
}

// Waits until so many groups of copies, and no more, are on their way.
__device__ inline void __wait_for_groups(unsigned left)
{
    if (left == 0)
        asm volatile("cp.async.wait_group 0;" : : : "memory");
    else if (left == 1)
        asm volatile("cp.async.wait_group 1;" : : : "memory");
    else if (left == 2)
        asm volatile("cp.async.wait_group 2;" : : : "memory");
    else if (left == 3)
        asm volatile("cp.async.wait_group 3;" : : : "memory");
    else if (left == 4)
        asm volatile("cp.async.wait_group 4;" : : : "memory");
    else if (left == 5)
        asm volatile("cp.async.wait_group 5;" : : : "memory");
    else if (left == 6)
        asm volatile("cp.async.wait_group 6;" : : : "memory");
    else if (left == 7)
        asm volatile("cp.async.wait_group 7;" : : : "memory");
    else
        asm volatile("cp.async.wait_group 8;" : : : "memory");
}

namespace cuda {
template <size_t alignment> struct aligned_size_t {
    static constexpr size_t align = alignment;
    size_t value;
    __device__ explicit constexpr aligned_size_t(size_t size) : value(size) { }
    __device__ constexpr operator size_t() const { return value; }
};
}
