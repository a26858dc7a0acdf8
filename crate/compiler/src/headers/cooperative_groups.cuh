// Cooperative groups: the block, its tiles, the lanes that are active, the grid.
namespace cooperative_groups {

__device__ inline unsigned __cg_lane() { unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); return lane; }

struct thread_block {
    static constexpr unsigned __tile = 0;
    __device__ void sync() const { asm volatile("barrier.sync 0;" : : : "memory"); }
    __device__ unsigned thread_rank() const { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
    __device__ unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ unsigned num_threads() const { return size(); }
    __device__ dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ dim3 dim_threads() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};

__device__ inline thread_block this_thread_block() { return thread_block(); }

template <unsigned N, typename Parent = void> struct thread_block_tile {
    static constexpr unsigned __tile = N;
    static_assert(N == 1 || N == 2 || N == 4 || N == 8 || N == 16 || N == 32, "a tile of other than 1, 2, 4, 8, 16 or 32 threads");
    thread_block_tile() = default;
    template <typename Other> __device__ thread_block_tile(const thread_block_tile<N, Other>& other) { }
    __device__ unsigned __mask() const { return N == 32 ? 0xffffffffu : ((1u << (N % 32)) - 1) << (__cg_lane() & ~(N - 1)); }
    __device__ void sync() const { __syncwarp(__mask()); }
    __device__ unsigned thread_rank() const { return this_thread_block().thread_rank() & (N - 1); }
    __device__ static constexpr unsigned size() { return N; }
    __device__ static constexpr unsigned num_threads() { return N; }
    __device__ unsigned meta_group_rank() const
    {
        const unsigned rank = this_thread_block().thread_rank();
        return (Parent::__tile == 0 ? rank : rank & (Parent::__tile - 1)) / N;
    }
    __device__ unsigned meta_group_size() const { return ((Parent::__tile == 0 ? this_thread_block().size() : Parent::__tile) + N - 1) / N; }
    template <typename T> __device__ T shfl(T v, int lane) const { return __shfl_sync(__mask(), v, lane, N); }
    template <typename T> __device__ T shfl_up(T v, unsigned by) const { return __shfl_up_sync(__mask(), v, by, N); }
    template <typename T> __device__ T shfl_down(T v, unsigned by) const { return __shfl_down_sync(__mask(), v, by, N); }
    template <typename T> __device__ T shfl_xor(T v, unsigned by) const { return __shfl_xor_sync(__mask(), v, by, N); }
    __device__ int any(int is) const { return (__ballot_sync(__mask(), is) & __mask()) != 0; }
    __device__ int all(int is) const { return (__ballot_sync(__mask(), is) & __mask()) == __mask(); }
    __device__ unsigned ballot(int is) const { return (__ballot_sync(__mask(), is) & __mask()) >> (__cg_lane() & ~(N - 1)); }
    template <typename T> __device__ unsigned match_any(T v) const { return (__match_any_sync(__mask(), v) & __mask()) >> (__cg_lane() & ~(N - 1)); }
    template <typename T> __device__ unsigned match_all(T v, int& is_all) const { return (__match_all_sync(__mask(), v, &is_all) & __mask()) >> (__cg_lane() & ~(N - 1)); }
};

// A tile that does not say of what it is one: it knows only then.
template <unsigned N> struct thread_block_tile<N, void> : thread_block_tile<N, thread_block> {
    unsigned __rank, __count;
    thread_block_tile() = default;
    template <typename P> __device__ thread_block_tile(const thread_block_tile<N, P>& other) : __rank(other.meta_group_rank()), __count(other.meta_group_size()) { }
    __device__ unsigned meta_group_rank() const { return __rank; }
    __device__ unsigned meta_group_size() const { return __count; }
};

template <unsigned N> __device__ inline thread_block_tile<N, thread_block> tiled_partition(const thread_block& block)
{
    return thread_block_tile<N, thread_block>();
}
template <unsigned N, unsigned M, typename P> __device__ inline thread_block_tile<N, thread_block_tile<M, P>> tiled_partition(const thread_block_tile<M, P>& tile)
{
    return thread_block_tile<N, thread_block_tile<M, P>>();
}

// A tile whose size the launch knows only.
struct __sized_tile {
    static constexpr unsigned __tile = 0;
    unsigned __count;
    __device__ unsigned __mask() const { return __count == 32 ? 0xffffffffu : ((1u << __count) - 1) << (__cg_lane() & ~(__count - 1)); }
    __device__ void sync() const { __syncwarp(__mask()); }
    __device__ unsigned thread_rank() const { return this_thread_block().thread_rank() & (__count - 1); }
    __device__ unsigned size() const { return __count; }
    __device__ unsigned num_threads() const { return __count; }
};
template <typename G> __device__ inline __sized_tile tiled_partition(const G& group, unsigned count) { __sized_tile tile; tile.__count = count; return tile; }

struct coalesced_group {
    unsigned __lanes, __meta_rank, __meta_size;
    __device__ unsigned __mask() const { return __lanes; }
    __device__ unsigned size() const { return __popc(__lanes); }
    __device__ unsigned num_threads() const { return __popc(__lanes); }
    __device__ unsigned thread_rank() const { unsigned below; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below)); return __popc(__lanes & below); }
    __device__ unsigned meta_group_rank() const { return __meta_rank; }
    __device__ unsigned meta_group_size() const { return __meta_size; }
    __device__ unsigned __lane_of(unsigned rank) const
    {
        unsigned left = __lanes;
        for (unsigned i = 0; i < rank; i++)
            left &= left - 1;
        return __ffs(left) - 1;
    }
    // Of a mask of lanes one of ranks.
    __device__ unsigned __ranks_of(unsigned found) const
    {
        unsigned left = __lanes, packed = 0;
        for (unsigned rank = 0; left != 0; rank++) {
            packed |= ((found >> (__ffs(left) - 1)) & 1) << rank;
            left &= left - 1;
        }
        return packed;
    }
    __device__ void sync() const { __syncwarp(__lanes); }
    template <typename T> __device__ T shfl(T v, unsigned rank) const { return __shfl_sync(__lanes, v, __lane_of(rank), 32); }
    template <typename T> __device__ T shfl_down(T v, unsigned by) const
    {
        const unsigned rank = thread_rank();
        return __shfl_sync(__lanes, v, rank + by < size() ? __lane_of(rank + by) : __cg_lane(), 32);
    }
    template <typename T> __device__ T shfl_up(T v, unsigned by) const
    {
        const unsigned rank = thread_rank();
        return __shfl_sync(__lanes, v, rank >= by ? __lane_of(rank - by) : __cg_lane(), 32);
    }
    __device__ int any(int is) const { return __ballot_sync(__lanes, is) != 0; }
    __device__ int all(int is) const { return __ballot_sync(__lanes, is) == __lanes; }
    __device__ unsigned ballot(int is) const { return __ranks_of(__ballot_sync(__lanes, is)); }
    template <typename T> __device__ unsigned match_any(T v) const { return __ranks_of(__match_any_sync(__lanes, v)); }
    template <typename T> __device__ unsigned match_all(T v, int& is_all) const { return __ranks_of(__match_all_sync(__lanes, v, &is_all)); }
};

__device__ inline coalesced_group __group_of(unsigned lanes, unsigned rank, unsigned count)
{
    coalesced_group group;
    group.__lanes = lanes;
    group.__meta_rank = rank;
    group.__meta_size = count;
    return group;
}
__device__ inline coalesced_group coalesced_threads() { return __group_of(__activemask(), 0, 1); }

// Those with the same answer, those with the same label, and as many as are given.
template <typename G> __device__ inline coalesced_group binary_partition(const G& group, bool is)
{
    const unsigned mask = group.__mask(), found = __ballot_sync(mask, is) & mask;
    if (found == mask || found == 0)
        return __group_of(mask, 0, 1);
    return __group_of(is ? found : mask & ~found, is, 2);
}
template <typename G, typename T> __device__ inline coalesced_group labeled_partition(const G& group, T label)
{
    const unsigned mask = group.__mask(), own = __match_any_sync(mask, label), first = __ffs(own) - 1;
    const unsigned leaders = __ballot_sync(mask, first == __cg_lane()) & mask;
    return __group_of(own, __popc(leaders & ((1u << first) - 1)), __popc(leaders));
}
__device__ inline coalesced_group tiled_partition(const coalesced_group& group, unsigned count)
{
    const unsigned rank = group.thread_rank() / count;
    unsigned left = group.__lanes, own = 0;
    for (unsigned i = 0; left != 0; i++) {
        if (i / count == rank)
            own |= left & (0u - left);
        left &= left - 1;
    }
    return __group_of(own, rank, (group.size() + count - 1) / count);
}

// One thread of a group does something: the first, or the one that the hardware elects in a warp.
template <typename G> __device__ inline bool __elected(const G& group, unsigned& lane)
{
    if constexpr (__CUDA_ARCH__ >= 900) {
        unsigned is;
        asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.b32 %1, 1, 0, p; }" : "=r"(lane), "=r"(is) : "r"(group.__mask()));
        return is != 0;
    } else {
        return group.thread_rank() == 0;
    }
}
template <typename G> struct __is_in_warp { static constexpr bool value = false; };
template <unsigned N, typename P> struct __is_in_warp<thread_block_tile<N, P>> { static constexpr bool value = true; };
template <> struct __is_in_warp<coalesced_group> { static constexpr bool value = true; };
template <typename G, typename F, typename... A> __device__ inline void invoke_one(const G& group, F f, A... arguments)
{
    unsigned lane;
    if constexpr (__is_in_warp<G>::value) {
        if (__elected(group, lane))
            f(arguments...);
    } else if (group.thread_rank() == 0) {
        f(arguments...);
    }
}
template <typename G, typename F, typename... A> __device__ inline auto invoke_one_broadcast(const G& group, F f, A... arguments)
{
    static_assert(__is_in_warp<G>::value, "`invoke_one_broadcast` in a group of more than a warp");
    unsigned lane;
    decltype(f(arguments...)) result;
    if (__elected(group, lane))
        result = f(arguments...);
    if constexpr (__CUDA_ARCH__ >= 900)
        return __shfl_sync(group.__mask(), result, lane, 32);
    else
        return group.shfl(result, 0);
}

// The blocks of a cluster. Its instructions are of compute_90.
struct cluster_group {
    __device__ static void sync() { barrier_arrive(); barrier_wait(); }
    __device__ static void barrier_arrive() { asm volatile("barrier.cluster.arrive.aligned;" : : : "memory"); }
    __device__ static void barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" : : : "memory"); }
    __device__ static unsigned block_rank() { unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
    __device__ static unsigned num_blocks() { unsigned r; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
    __device__ static dim3 block_index() { dim3 r; asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(r.x)); asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(r.y)); asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(r.z)); return r; }
    __device__ static dim3 dim_blocks() { dim3 r; asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(r.x)); asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(r.y)); asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(r.z)); return r; }
    __device__ static unsigned thread_rank() { return block_rank() * this_thread_block().size() + this_thread_block().thread_rank(); }
    __device__ static unsigned num_threads() { return num_blocks() * this_thread_block().size(); }
    __device__ static unsigned size() { return num_threads(); }
    template <typename T> __device__ static T* map_shared_rank(T* address, int rank)
    {
        unsigned long r;
        asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(address), "r"(rank));
        return (T*)r;
    }
};
__device__ inline cluster_group this_cluster() { return cluster_group(); }

struct grid_group {
    __device__ unsigned long long block_rank() const { return ((unsigned long long)gridDim.y * blockIdx.z + blockIdx.y) * gridDim.x + blockIdx.x; }
    __device__ unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * (gridDim.y * gridDim.z); }
    __device__ unsigned long long thread_rank() const { return block_rank() * this_thread_block().size() + this_thread_block().thread_rank(); }
    __device__ unsigned long long size() const { return num_blocks() * this_thread_block().size(); }
    __device__ unsigned long long num_threads() const { return size(); }
    __device__ dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ bool is_valid() const { return __workspace() != 0; }
    __device__ unsigned long long __workspace() const
    {
        unsigned high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        return (unsigned long long)high << 32 | low;
    }
    // The first block adds what makes the top bit turn over when all the others have added 1 each.
    __device__ void sync() const
    {
        const unsigned long long place = __workspace();
        if (place == 0)
            __trap();
        this_thread_block().sync();
        if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
            const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
            const unsigned by = blockIdx.x + blockIdx.y + blockIdx.z == 0 ? 0x80000001u - blocks : 1;
            unsigned before, now;
            asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(place + 4), "r"(by) : "memory");
            do
                asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(place + 4) : "memory");
            while ((int)(now ^ before) >= 0);
        }
        this_thread_block().sync();
    }
};

__device__ inline grid_group this_grid() { return grid_group(); }

struct thread_group_of_one {
    __device__ void sync() const { }
    __device__ unsigned thread_rank() const { return 0; }
    __device__ static constexpr unsigned size() { return 1; }
};
__device__ inline thread_group_of_one this_thread() { return thread_group_of_one(); }

template <typename Group> __device__ inline void sync(const Group& group) { group.sync(); }
template <typename Group> __device__ inline auto thread_rank(const Group& group) { return group.thread_rank(); }
template <typename Group> __device__ inline auto group_size(const Group& group) { return group.size(); }
}
