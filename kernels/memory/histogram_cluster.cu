// How often each key occurs: the eight blocks of a cluster count together, each in its own shared memory the keys of an
// eighth of the bins, at most 8192, and adds its counts to those in global memory at the end.
__device__ unsigned rank()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void all_blocks_meet()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ void add_one(unsigned* mine, unsigned block)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(mine);
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;\n\tred.shared::cluster.add.u32 [%0], 1;"
                 : "+r"(address) : "r"(block) : "memory");
}

extern "C" __global__ void __cluster_dims__(8)
histogram_cluster(const unsigned* __restrict__ keys, unsigned* __restrict__ counts, unsigned items, unsigned bins)
{
    __shared__ unsigned mine[8192];
    const unsigned each = (bins + 7) / 8;
#pragma unroll 1
    for (unsigned bin = threadIdx.x; bin < each; bin += 512)
        mine[bin] = 0;
    all_blocks_meet();
    const unsigned first = blockIdx.x * 32768;
    const unsigned here = first < items ? min(items - first, 32768u) : 0;
    for (unsigned i = threadIdx.x; i < here; i += 8 * 512) {
        unsigned found[8];
        for (unsigned k = 0; k < 8; ++k)
            if (i + k * 512 < here)
                found[k] = keys[first + i + k * 512];
        for (unsigned k = 0; k < 8; ++k)
            if (i + k * 512 < here)
                add_one(&mine[found[k] / 8], found[k] % 8);
    }
    all_blocks_meet();
    for (unsigned bin = threadIdx.x; bin < each; bin += 512) {
        const unsigned key = bin * 8 + rank();
        if (key < bins && mine[bin] != 0)
            atomicAdd(&counts[key], mine[bin]);
    }
}
