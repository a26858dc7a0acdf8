// Pieces of 256 numbers come in pairs: y[i] = x[i] + 2 * x[p], modulo 2^32, where p is the same
// place in the other piece of the pair.
//
// x, y: items numbers, a multiple of 512. Block 256; it covers a piece. A cluster is two blocks, which
// have a pair, and may read each other's shared memory.

// The word at the same place in the shared memory of the cluster's other block.
__device__ unsigned partners_word(const unsigned* mine)
{
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(mine)), word;
    asm volatile("{\n\t.reg .b32 other;\n\tmov.u32 other, %%cluster_ctarank;\n\txor.b32 other, other, 1;\n\t"
                 "mapa.shared::cluster.u32 %1, %1, other;\n\tld.shared::cluster.u32 %0, [%1];\n\t}"
                 : "=r"(word), "+r"(address) :: "memory");
    return word;
}

// Waits until every thread of both blocks is here.
__device__ void both_blocks_meet()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2)
partners(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items)
{
    __shared__ unsigned piece[256];
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    piece[threadIdx.x] = x[i];

//@ starter
    // TODO The barrier is one of the block. The other block may not have its piece yet when this
    // one reads it, and may have ended when this one reads late.
    __syncthreads();
    y[i] = piece[threadIdx.x] + 2 * partners_word(&piece[threadIdx.x]);
//@ solution
    // Both pieces are there.
    both_blocks_meet();
    y[i] = piece[threadIdx.x] + 2 * partners_word(&piece[threadIdx.x]);
    // Shared memory ends with its block: nobody goes before the other has read.
    both_blocks_meet();
//@ in_two_parts
    both_blocks_meet();
    const unsigned theirs = partners_word(&piece[threadIdx.x]);
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    y[i] = piece[threadIdx.x] + 2 * theirs;
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
//@ ends_early
    both_blocks_meet();
    y[i] = piece[threadIdx.x] + 2 * partners_word(&piece[threadIdx.x]);
//@ meets_late
    __syncthreads();
    y[i] = piece[threadIdx.x] + 2 * partners_word(&piece[threadIdx.x]);
    both_blocks_meet();
//@ own_word
    both_blocks_meet();
    y[i] = piece[threadIdx.x] + 2 * piece[threadIdx.x];
    both_blocks_meet();
//@ from_global
    y[i] = piece[threadIdx.x] + 2 * x[i ^ 256];
//@ end
}
