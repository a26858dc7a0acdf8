// y[i] is the sum of x[i] ^ x[j] over all j of its piece of 256, modulo 2^32; the last piece may be shorter.
//
// x, y: items numbers. Block 256, a block a piece.

extern "C" __global__ void pairs(const unsigned* __restrict__ x, unsigned* __restrict__ y, unsigned items)
{
    const size_t first = size_t(blockIdx.x) * 256, i = first + threadIdx.x;
    const unsigned count = items - first < 256 ? items - first : 256;

//@ starter
    // TODO The sums are right. But each of eight warps asks for all numbers of the piece, one by one: 64
    // times as many sectors as the piece has. Let the block ask for each once.
    if (i >= items)
        return;
    const unsigned mine = x[i];
    unsigned sum = 0;
    for (unsigned j = 0; j < count; j++)
        sum += mine ^ x[first + j];
    y[i] = sum;
//@ solution
    __shared__ unsigned piece[256];
    const unsigned mine = i < items ? x[i] : 0;
    piece[threadIdx.x] = mine;
    __syncthreads();
    if (i >= items)
        return;

    // All lanes read one word: a broadcast.
    unsigned sum = 0;
    for (unsigned j = 0; j < count; j++)
        sum += mine ^ piece[j];
    y[i] = sum;
//@ by_bits
    // How many numbers have each bit: 32 counts tell all sums.
    __shared__ unsigned ones[32];
    const unsigned mine = i < items ? x[i] : 0;
    if (threadIdx.x < 32)
        ones[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned bit = 0; bit < 32; bit++) {
        const unsigned votes = __ballot_sync(~0u, mine >> bit & 1);
        if (threadIdx.x % 32 == bit)
            atomicAdd(&ones[bit], __popc(votes));
    }
    __syncthreads();
    if (i >= items)
        return;
    unsigned sum = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        sum += (mine >> bit & 1 ? count - ones[bit] : ones[bit]) << bit;
    y[i] = sum;
//@ piece_of_a_warp
    // A copy of the piece for each warp.
    __shared__ unsigned pieces[8][256];
    unsigned* piece = pieces[threadIdx.x / 32];
    for (unsigned j = threadIdx.x % 32; j < count; j += 32)
        piece[j] = x[first + j];
    __syncwarp();
    if (i >= items)
        return;
    unsigned sum = 0;
    for (unsigned j = 0; j < count; j++)
        sum += piece[threadIdx.x] ^ piece[j];
    y[i] = sum;
//@ own_warp
    const unsigned mine = i < items ? x[i] : 0;
    unsigned sum = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        sum += mine ^ __shfl_sync(~0u, mine, lane);
    if (i < items)
        y[i] = sum;
//@ no_barrier
    __shared__ unsigned piece[256];
    const unsigned mine = i < items ? x[i] : 0;
    piece[threadIdx.x] = mine;
    if (i >= items)
        return;
    unsigned sum = 0;
    for (unsigned j = 0; j < count; j++)
        sum += mine ^ piece[j];
    y[i] = sum;
//@ with_nobody
    __shared__ unsigned piece[256];
    const unsigned mine = i < items ? x[i] : 0;
    piece[threadIdx.x] = mine;
    __syncthreads();
    if (i >= items)
        return;
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j++)
        sum += mine ^ piece[j];
    y[i] = sum;
//@ no_guard
    __shared__ unsigned piece[256];
    const unsigned mine = x[i];
    piece[threadIdx.x] = mine;
    __syncthreads();
    if (i >= items)
        return;
    unsigned sum = 0;
    for (unsigned j = 0; j < count; j++)
        sum += mine ^ piece[j];
    y[i] = sum;
//@ end
}
