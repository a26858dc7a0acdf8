// adds a row of 512 bins for each number by a bulk reduction, all zeros but one, in the place of an atomic.
__device__ void add(unsigned* to, const unsigned* from, unsigned bytes)
{
    const unsigned shared = __cvta_generic_to_shared(from);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;"
                 :: "l"(to), "r"(shared), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

extern "C" __global__ void few_atomics(const unsigned* __restrict__ x, unsigned* __restrict__ counts,
                                       unsigned items, unsigned shift)
{
    __shared__ __align__(16) unsigned rows[8][512];
    __shared__ unsigned bins[1024];
    const size_t first = size_t(blockIdx.x) * 1024;
    for (unsigned k = threadIdx.x; k < 1024; k += 256)
        bins[k] = first + k < items ? (x[first + k] >> shift) % 512 : 512;
    unsigned* row = rows[threadIdx.x / 32];
    for (unsigned k = threadIdx.x % 32; k < 512; k += 32)
        row[k] = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (unsigned k = threadIdx.x / 32; k < 1024; k += 8)
            if (bins[k] < 512) {
                row[bins[k]] = 1;
                add(counts, row, 2048);
                row[bins[k]] = 0;
            }
}
