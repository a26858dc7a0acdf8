// Copies and stores into the shared memory of other blocks of a cluster.
typedef unsigned long long u64;

__device__ __forceinline__ unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
__device__ __forceinline__ unsigned rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ __forceinline__ unsigned in_block(unsigned address, unsigned rank) {
    unsigned mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}
__device__ __forceinline__ void meet() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
__device__ __forceinline__ void begin(unsigned barrier, unsigned bytes) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    }
    meet();
}
__device__ __forceinline__ void wait(unsigned barrier) {
    asm volatile("{\n .reg .pred done;\n AGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n @!done bra AGAIN;\n}" ::"r"(barrier) : "memory");
}

// Each of four blocks brings a quarter of what all of them read.
extern "C" __global__ void __cluster_dims__(4, 1, 1) quarters(const int* in, int* out) {
    __shared__ __align__(128) int tile[512];
    __shared__ u64 full;
    unsigned barrier = shared_address(&full), own = rank();
    begin(barrier, sizeof(tile));
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 512, [%2], %3;" ::"r"(shared_address(tile + 128 * own)), "l"(in + (blockIdx.x / 4 * 4 + own) * 128), "r"(barrier), "h"((unsigned short)15) : "memory");
    }
    wait(barrier);
    for (int i = threadIdx.x; i < 512; i += blockDim.x) out[blockIdx.x * 512 + i] = tile[i] + (int)own;
    meet();
}

// Values go round: each block stores into the next, and adds to what is there.
extern "C" __global__ void __cluster_dims__(3, 1, 1) ring(int* out) {
    __shared__ __align__(16) int stored[4 * 96];
    __shared__ u64 wide[96], sums[96], full;
    unsigned barrier = shared_address(&full), next = (rank() + 1) % 3, own = rank();
    sums[threadIdx.x] = 1000 * own;
    begin(barrier, sizeof(stored) + sizeof(wide) + sizeof(sums) + sizeof(sums) / 2);
    unsigned there = in_block(barrier, next);
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(in_block(shared_address(stored + 4 * threadIdx.x), next)), "r"(threadIdx.x), "r"(own), "r"(7), "r"(blockIdx.x), "r"(there) : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(in_block(shared_address(wide + threadIdx.x), next)), "l"((u64)threadIdx.x << 33 | own), "r"(there) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(in_block(shared_address(sums + threadIdx.x), next)), "l"((u64)threadIdx.x), "r"(there) : "memory");
    // Two threads each to one word.
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %1, [%2];" ::"r"(in_block(shared_address(sums + threadIdx.x / 2) + 4, next)), "r"(threadIdx.x), "r"(there) : "memory");
    wait(barrier);
    int* mine = out + (blockIdx.x * 96 + threadIdx.x) * 8;
    for (int i = 0; i < 4; i++) mine[i] = stored[4 * threadIdx.x + i];
    mine[4] = (int)wide[threadIdx.x];
    mine[5] = (int)(wide[threadIdx.x] >> 32);
    mine[6] = (int)sums[threadIdx.x];
    mine[7] = (int)(sums[threadIdx.x] >> 32);
    meet();
}

// A block's tile goes to its neighbour.
extern "C" __global__ void __cluster_dims__(2, 1, 1) handed_over(int* out) {
    __shared__ __align__(128) int from[128], to[128];
    __shared__ u64 full;
    unsigned barrier = shared_address(&full), other = rank() ^ 1;
    from[threadIdx.x] = 1000 * blockIdx.x + threadIdx.x;
    begin(barrier, sizeof(to));
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(in_block(shared_address(to), other)), "r"(shared_address(from)), "r"(in_block(barrier, other)) : "memory");
    }
    wait(barrier);
    out[blockIdx.x * 128 + threadIdx.x] = to[threadIdx.x];
    meet();
}
