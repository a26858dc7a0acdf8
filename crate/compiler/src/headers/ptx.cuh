// `cuda/ptx`: instructions by their names, those that move blocks of memory and those of barriers.
namespace cuda { namespace ptx {
struct space_global_t { };
struct space_shared_t { };
struct space_cluster_t { };
struct sem_release_t { };
struct sem_acquire_t { };
struct sem_relaxed_t { };
struct scope_cta_t { };
struct scope_cluster_t { };
template <int n> struct n32_t { };
constexpr space_global_t space_global{};
constexpr space_shared_t space_shared{};
constexpr space_cluster_t space_cluster{};
constexpr sem_release_t sem_release{};
constexpr sem_acquire_t sem_acquire{};
constexpr sem_relaxed_t sem_relaxed{};
constexpr scope_cta_t scope_cta{};
constexpr scope_cluster_t scope_cluster{};

__device__ inline unsigned __shared_at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ inline void fence_proxy_async() { asm volatile("fence.proxy.async;" : : : "memory"); }
__device__ inline void fence_proxy_async(space_shared_t) { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }
__device__ inline void fence_proxy_async(space_global_t) { asm volatile("fence.proxy.async.global;" : : : "memory"); }
__device__ inline void fence_mbarrier_init(sem_release_t, scope_cluster_t) { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }
__device__ inline void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive;" : : : "memory"); }
__device__ inline void barrier_cluster_wait() { asm volatile("barrier.cluster.wait;" : : : "memory"); }

__device__ inline void cp_async_bulk(space_cluster_t, space_global_t, void* to, const void* from, const unsigned& size, unsigned long long* bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" : : "r"(__shared_at(to)), "l"(__cvta_generic_to_global(from)), "r"(size), "r"(__shared_at(bar)) : "memory");
}
__device__ inline void cp_async_bulk(space_shared_t, space_global_t, void* to, const void* from, const unsigned& size, unsigned long long* bar) { cp_async_bulk(space_cluster_t(), space_global_t(), to, from, size, bar); }
__device__ inline void cp_async_bulk(space_global_t, space_shared_t, void* to, const void* from, const unsigned& size)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" : : "l"(__cvta_generic_to_global(to)), "r"(__shared_at(from)), "r"(size) : "memory");
}
__device__ inline void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }
template <int n> __device__ inline void cp_async_bulk_wait_group(n32_t<n>) { asm volatile("cp.async.bulk.wait_group @n@;" : : : "memory"); }
template <int n> __device__ inline void cp_async_bulk_wait_group_read(n32_t<n>) { asm volatile("cp.async.bulk.wait_group.read @n@;" : : : "memory"); }

template <size_t n> __device__ inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to, const void* map, const int (&at)[n], unsigned long long* bar)
{
    static_assert(n <= 3, "a tensor of more than three dimensions");
    if constexpr (n == 1)
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" : : "r"(__shared_at(to)), "l"(map), "r"(at[0]), "r"(__shared_at(bar)) : "memory");
    else if constexpr (n == 2)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" : : "r"(__shared_at(to)), "l"(map), "r"(at[0]), "r"(at[1]), "r"(__shared_at(bar)) : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" : : "r"(__shared_at(to)), "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(__shared_at(bar)) : "memory");
}
template <size_t n> __device__ inline void cp_async_bulk_tensor(space_shared_t, space_global_t, void* to, const void* map, const int (&at)[n], unsigned long long* bar) { cp_async_bulk_tensor(space_cluster_t(), space_global_t(), to, map, at, bar); }
template <size_t n> __device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int (&at)[n], const void* from)
{
    static_assert(n <= 3, "a tensor of more than three dimensions");
    if constexpr (n == 1)
        asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" : : "l"(map), "r"(at[0]), "r"(__shared_at(from)) : "memory");
    else if constexpr (n == 2)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" : : "l"(map), "r"(at[0]), "r"(at[1]), "r"(__shared_at(from)) : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" : : "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(__shared_at(from)) : "memory");
}

__device__ inline void mbarrier_init(unsigned long long* bar, const unsigned& count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(__shared_at(bar)), "r"(count) : "memory"); }
__device__ inline unsigned long long mbarrier_arrive(unsigned long long* bar)
{
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(__shared_at(bar)) : "memory");
    return token;
}
__device__ inline unsigned long long mbarrier_arrive(sem_release_t, scope_cta_t, space_shared_t, unsigned long long* bar)
{
    unsigned long long token;
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(__shared_at(bar)) : "memory");
    return token;
}
__device__ inline unsigned long long mbarrier_arrive(sem_release_t, scope_cta_t, space_shared_t, unsigned long long* bar, const unsigned& count)
{
    unsigned long long token;
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(__shared_at(bar)), "r"(count) : "memory");
    return token;
}
__device__ inline unsigned long long mbarrier_arrive_expect_tx(sem_release_t, scope_cta_t, space_shared_t, unsigned long long* bar, const unsigned& bytes)
{
    unsigned long long token;
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(__shared_at(bar)), "r"(bytes) : "memory");
    return token;
}
__device__ inline void mbarrier_expect_tx(sem_relaxed_t, scope_cta_t, space_shared_t, unsigned long long* bar, const unsigned& bytes) { asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(__shared_at(bar)), "r"(bytes) : "memory"); }
__device__ inline bool mbarrier_try_wait(unsigned long long* bar, const unsigned long long& token)
{
    unsigned is;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "r"(__shared_at(bar)), "l"(token) : "memory");
    return is != 0;
}
__device__ inline bool mbarrier_test_wait(unsigned long long* bar, const unsigned long long& token)
{
    unsigned is;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "r"(__shared_at(bar)), "l"(token) : "memory");
    return is != 0;
}
__device__ inline bool mbarrier_try_wait_parity(unsigned long long* bar, const unsigned& parity)
{
    unsigned is;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "r"(__shared_at(bar)), "r"(parity) : "memory");
    return is != 0;
}
__device__ inline bool mbarrier_test_wait_parity(unsigned long long* bar, const unsigned& parity)
{
    unsigned is;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "r"(__shared_at(bar)), "r"(parity) : "memory");
    return is != 0;
}
__device__ inline unsigned get_sreg_laneid() { unsigned v; asm("mov.u32 %0, %%laneid;" : "=r"(v)); return v; }
__device__ inline unsigned get_sreg_warpid() { unsigned v; asm volatile("mov.u32 %0, %%warpid;" : "=r"(v)); return v; }
__device__ inline unsigned get_sreg_smid() { unsigned v; asm volatile("mov.u32 %0, %%smid;" : "=r"(v)); return v; }
__device__ inline unsigned get_sreg_lanemask_lt() { unsigned v; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v)); return v; }
__device__ inline unsigned get_sreg_lanemask_le() { unsigned v; asm("mov.u32 %0, %%lanemask_le;" : "=r"(v)); return v; }
__device__ inline unsigned get_sreg_cluster_ctarank() { unsigned v; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v)); return v; }
} }

namespace cuda { namespace device { namespace experimental {
__device__ inline void fence_proxy_async_shared_cta() { ptx::fence_proxy_async(ptx::space_shared_t()); }
__device__ inline void cp_async_bulk_global_to_shared(void* to, const void* from, unsigned size, barrier<thread_scope_block>& b) { ptx::cp_async_bulk(ptx::space_cluster_t(), ptx::space_global_t(), to, from, size, &b.__state); }
__device__ inline void cp_async_bulk_shared_to_global(void* to, const void* from, unsigned size) { ptx::cp_async_bulk(ptx::space_global_t(), ptx::space_shared_t(), to, from, size); }
__device__ inline void cp_async_bulk_commit_group() { ptx::cp_async_bulk_commit_group(); }
template <int n> __device__ inline void cp_async_bulk_wait_group_read() { ptx::cp_async_bulk_wait_group_read(ptx::n32_t<n>()); }
__device__ inline void cp_async_bulk_tensor_1d_global_to_shared(void* to, const void* map, int x, barrier<thread_scope_block>& b) { const int at[1] = {x}; ptx::cp_async_bulk_tensor(ptx::space_cluster_t(), ptx::space_global_t(), to, map, at, &b.__state); }
__device__ inline void cp_async_bulk_tensor_2d_global_to_shared(void* to, const void* map, int x, int y, barrier<thread_scope_block>& b) { const int at[2] = {x, y}; ptx::cp_async_bulk_tensor(ptx::space_cluster_t(), ptx::space_global_t(), to, map, at, &b.__state); }
__device__ inline void cp_async_bulk_tensor_3d_global_to_shared(void* to, const void* map, int x, int y, int z, barrier<thread_scope_block>& b) { const int at[3] = {x, y, z}; ptx::cp_async_bulk_tensor(ptx::space_cluster_t(), ptx::space_global_t(), to, map, at, &b.__state); }
__device__ inline void cp_async_bulk_tensor_1d_shared_to_global(const void* map, int x, const void* from) { const int at[1] = {x}; ptx::cp_async_bulk_tensor(ptx::space_global_t(), ptx::space_shared_t(), map, at, from); }
__device__ inline void cp_async_bulk_tensor_2d_shared_to_global(const void* map, int x, int y, const void* from) { const int at[2] = {x, y}; ptx::cp_async_bulk_tensor(ptx::space_global_t(), ptx::space_shared_t(), map, at, from); }
__device__ inline void cp_async_bulk_tensor_3d_shared_to_global(const void* map, int x, int y, int z, const void* from) { const int at[3] = {x, y, z}; ptx::cp_async_bulk_tensor(ptx::space_global_t(), ptx::space_shared_t(), map, at, from); }
} } }
