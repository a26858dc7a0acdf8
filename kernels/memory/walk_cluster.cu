// A walk through a ring of words: one lane of the first block of a cluster of two follows them, in shared memory: its own
// block's, the same by an address of the cluster, or the other block's.
template <unsigned OWNER, bool IS_MAPPED>
__device__ void walk(const unsigned* __restrict__ ring, unsigned* __restrict__ last, unsigned items)
{
    __shared__ unsigned words[1024];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 1024; i += 32)
        words[i] = ring[i];
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned base = (unsigned)__cvta_generic_to_shared(words), at = 0;
        if (IS_MAPPED)
            asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(base) : "r"(OWNER));
#pragma unroll 1
        for (unsigned i = 0; i < items; ++i)
            if (IS_MAPPED)
                asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(at) : "r"(base + 4 * at));
            else
                asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(base + 4 * at));
        *last = at;
    }
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2)
walk_own(const unsigned* __restrict__ ring, unsigned* __restrict__ last, unsigned items)
{
    walk<0, false>(ring, last, items);
}

extern "C" __global__ void __cluster_dims__(2)
walk_mapped(const unsigned* __restrict__ ring, unsigned* __restrict__ last, unsigned items)
{
    walk<0, true>(ring, last, items);
}

extern "C" __global__ void __cluster_dims__(2)
walk_other(const unsigned* __restrict__ ring, unsigned* __restrict__ last, unsigned items)
{
    walk<1, true>(ring, last, items);
}
