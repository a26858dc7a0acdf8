// Blocks of a cluster that use each other's shared memory, in every way that the emulator knows.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each block hands its row to the next of its cluster; the last one's goes to the first.
extern "C" __global__ void __cluster_dims__(4) handed_on(const int* in, int* out, int n)
{
    __shared__ int row[96];
    cg::cluster_group cluster = cg::this_cluster();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    row[threadIdx.x] = i < n ? in[i] : -1;
    cluster.sync();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    const int* other = cluster.map_shared_rank(row, next);
    if (i < n) out[i] = other[threadIdx.x] + 1000 * cluster.query_shared_rank(other);
    cluster.sync();
}

// A histogram over the cluster by atomics on its blocks' memory, and a sum by stores; what each register says.
extern "C" __global__ void counted(const unsigned* keys, unsigned* counts, unsigned* special, unsigned n, unsigned bins)
{
    __shared__ unsigned mine[64];
    __shared__ unsigned total[16];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    for (unsigned k = threadIdx.x; k < 64; k += blockDim.x) mine[k] = 0;
    if (threadIdx.x < 16) total[threadIdx.x] = 0;
    cluster.sync();
    const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    const unsigned i = block * blockDim.x + threadIdx.x;
    if (i < n) {
        const unsigned key = keys[i];
        unsigned* bin = cluster.map_shared_rank(&mine[key / blocks], key % blocks);
        if (i % 2) atomicAdd(bin, 1u);
        else atomicAdd(cluster.map_shared_rank(&mine[key / blocks], key % blocks), 1u);
    }
    if (threadIdx.x == 0) *cluster.map_shared_rank(&total[rank], 0) = block + 1;
    cluster.sync();
    for (unsigned k = threadIdx.x; k * blocks + rank < bins; k += blockDim.x)
        atomicAdd(&counts[k * blocks + rank], mine[k]);
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (rank == 0) for (unsigned k = 0; k < blocks; ++k) sum += total[k];
        unsigned* s = special + 8 * block;
        s[0] = rank; s[1] = blocks; s[2] = cluster.block_index().x; s[3] = cluster.block_index().y;
        s[4] = cluster.dim_blocks().x; s[5] = cluster.dim_blocks().y; s[6] = sum;
        unsigned id; asm("mov.u32 %0, %%clusterid.x;" : "=r"(id)); s[7] = id;
    }
}

// The other block arrives at an mbarrier when it has stored what is waited for.
extern "C" __global__ void __cluster_dims__(2) announced(const int* in, int* out)
{
    __shared__ int box[64];
    __shared__ __align__(8) unsigned long long full;
    unsigned rank; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&full), at = (unsigned)__cvta_generic_to_shared(&box[threadIdx.x]);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" :: "r"(bar) : "memory");
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
    unsigned there, theirs;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank ^ 1));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(bar), "r"(rank ^ 1));
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(there), "r"(in[blockIdx.x * 64 + threadIdx.x]) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(theirs) : "memory");
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W; }" :: "r"(bar) : "memory");
    out[blockIdx.x * 64 + threadIdx.x] = box[threadIdx.x];
    asm volatile("barrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;" ::: "memory");
}
