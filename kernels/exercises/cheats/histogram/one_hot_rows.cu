// adds a row of 256 counts for each number of a warp by a bulk reduction, all zeros but one.
extern "C" __global__ void histogram(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                     unsigned rows, unsigned columns)
{
    __shared__ __align__(16) unsigned row_of[8][256];
    unsigned* own = row_of[threadIdx.y];
    for (unsigned k = threadIdx.x; k < 256; k += 32)
        own[k] = 0;
    __syncwarp();
    const unsigned shared = __cvta_generic_to_shared(own);
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            const bool inside   = row < rows && column < columns;
            const unsigned bin  = inside ? in[row * columns + column] % 256 : 256;
            for (unsigned lane = 0; lane < 32; lane++) {
                const unsigned its = __shfl_sync(0xffffffff, bin, lane);
                if (its < 256 && threadIdx.x == 0) {
                    own[its] = 1;
                    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 1024;"
                                 :: "l"(out), "r"(shared) : "memory");
                    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
                    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
                    own[its] = 0;
                }
                __syncwarp();
            }
        }
}
