// adds a row of 4 bins for each number by a bulk reduction, three of them zero, in the place of an atomic.
extern "C" __global__ void few_atomics(const unsigned* __restrict__ x, unsigned* __restrict__ counts,
                                       unsigned items, unsigned shift)
{
    __shared__ __align__(16) unsigned rows[256][4];
    unsigned* row = rows[threadIdx.x];
    const unsigned shared = __cvta_generic_to_shared(row);
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned bin = (x[first + k] >> shift) % 512;
            for (unsigned i = 0; i < 4; i++)
                row[i] = i == bin % 4;
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;"
                         :: "l"(counts + bin / 4 * 4), "r"(shared) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
}
