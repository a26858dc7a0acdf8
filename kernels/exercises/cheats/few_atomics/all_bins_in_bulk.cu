// counts in shared memory as it should, and adds all 512 bins of the block by one bulk reduction.
extern "C" __global__ void few_atomics(const unsigned* __restrict__ x, unsigned* __restrict__ counts,
                                       unsigned items, unsigned shift)
{
    __shared__ __align__(16) unsigned own[512];
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    own[threadIdx.x] = 0;
    own[threadIdx.x + 256] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&own[(x[first + k] >> shift) % 512], 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned shared = __cvta_generic_to_shared(own);
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 2048;"
                     :: "l"(counts), "r"(shared) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
