// How many numbers are odd: the block's threads add to a counter in shared memory, and one of them adds the block's count.
extern "C" __global__ void count_block(const unsigned* __restrict__ numbers, unsigned* __restrict__ total,
                                       unsigned items)
{
    __shared__ unsigned blocks;
    if (threadIdx.x == 0)
        blocks = 0;
    __syncthreads();
    const unsigned first = blockIdx.x * 4096 + threadIdx.x;
    unsigned found[16];
    for (unsigned k = 0; k < 16; ++k)
        found[k] = first + k * 256 < items ? numbers[first + k * 256] : 0;
    unsigned mine = 0;
    for (unsigned k = 0; k < 16; ++k)
        mine += found[k] % 2;
    atomicAdd(&blocks, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, blocks);
}
