// A checksum: the sums of pieces of 1024 numbers, in their order, each taken in by
// h = h * 33 ^ sum, beginning with 5381. Everything modulo 2^32.
//
// x: items numbers; parts: a word for each block, of no known value; ticket: 0, and must be
// 0 again. Block 256; it covers a piece. Each block leaves its sum in parts and draws a
// ticket; the block that draws the last one finds the sums of all, and works them up.

extern "C" __global__ void last_fence(const unsigned* __restrict__ x, unsigned* checksum, unsigned* parts,
                                      unsigned* ticket, unsigned items)
{
    __shared__ unsigned warps[8];
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    unsigned sum = 0;
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            sum += x[first + k];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (unsigned warp = 1; warp < 8; warp++)
        sum += warps[warp];

//@ starter
    // TODO Most of the time this is right. But nothing makes the part visible to others before the
    // ticket is: the fence stands where it orders something else. Put it where it is needed.
    __threadfence();
    parts[blockIdx.x] = sum;
    const bool is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
//@ solution
    // Who sees the ticket sees the part.
    parts[blockIdx.x] = sum;
    __threadfence();
    const bool is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    // What is read below is read after the ticket was drawn.
    __threadfence();
//@ releasing
    // The ticket itself releases what came before it, and acquires what others released.
    parts[blockIdx.x] = sum;
    unsigned drawn;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(drawn) : "l"(ticket), "r"(gridDim.x - 1) : "memory");
    const bool is_last = drawn == gridDim.x - 1;
//@ no_fence
    parts[blockIdx.x] = sum;
    const bool is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
//@ after_the_ticket
    parts[blockIdx.x] = sum;
    const bool is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
//@ of_the_block
    // A fence for the block: other blocks need not see anything.
    parts[blockIdx.x] = sum;
    __threadfence_block();
    const bool is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence_block();
//@ barrier
    parts[blockIdx.x] = sum;
    __syncwarp(1);
    const bool is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncwarp(1);
//@ ticket_first
    const bool is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
    parts[blockIdx.x] = sum;
    __threadfence();
//@ end

    if (!is_last)
        return;
    unsigned h = 5381;
    for (unsigned block = 0; block < gridDim.x; block++)
        h = h * 33 ^ parts[block];
    *checksum = h;
}
