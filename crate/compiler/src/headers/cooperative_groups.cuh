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

template <unsigned N, typename Parent = thread_block> struct thread_block_tile {
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
    __device__ unsigned match_any(unsigned v) const { return (__match_any_sync(__mask(), v) & __mask()) >> (__cg_lane() & ~(N - 1)); }
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
    unsigned __lanes;
    __device__ unsigned size() const { return __popc(__lanes); }
    __device__ unsigned num_threads() const { return __popc(__lanes); }
    __device__ unsigned thread_rank() const { unsigned below; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below)); return __popc(__lanes & below); }
    __device__ unsigned __lane_of(unsigned rank) const
    {
        unsigned left = __lanes;
        for (unsigned i = 0; i < rank; i++)
            left &= left - 1;
        return __ffs(left) - 1;
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
    __device__ unsigned ballot(int is) const
    {
        const unsigned found = __ballot_sync(__lanes, is);
        unsigned left = __lanes, packed = 0;
        for (unsigned rank = 0; left != 0; rank++) {
            packed |= ((found >> (__ffs(left) - 1)) & 1) << rank;
            left &= left - 1;
        }
        return packed;
    }
};

__device__ inline coalesced_group coalesced_threads() { coalesced_group group; group.__lanes = __activemask(); return group; }

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
}
